import json

from timegrain.cli.main import run
from timegrain.core.output import read_output

WORDS = ("--d-model", "4", "--length", "16", "--levels", "3", "--seeds", "1", "--amplitudes", "1")


def test_before_and_after_are_told_and_stored(tmp_path, capsys):
    words = ("--cures", "dilate", "--json", "--output", str(tmp_path / "out"))
    assert run(["remedy", "mamba", *WORDS, *words]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["cure"], told["changed"]) == ("remedy", "dilate", ["conv"])
    assert read_output(tmp_path / "out").result.to_dict() == told
    assert "dilate" in (tmp_path / "out" / "report.html").read_text()


def test_without_a_cure_all_that_apply_are_tried(capsys):
    assert run(["remedy", "s5", *WORDS, "--options", "n_state=4,n_blocks=1", "--json"]) == 0
    seen = capsys.readouterr()
    assert [one["cure"] for one in json.loads(seen.out)] == ["trapezoidal", "foh"]
    assert "left out: clamp applies to no layer of S5" in seen.err


def test_what_cannot_be_done_is_refused(capsys):
    assert run(["remedy", "gru", *WORDS]) == 2
    assert "no convolution over time" in capsys.readouterr().err
    assert run(["remedy", "mamba", *WORDS, "--cures", "dilate+interpolate"]) == 2
    assert "change the same thing" in capsys.readouterr().err
    assert run(["remedy", "mamba", *WORDS, "--dry-run"]) == 0
    assert "would cure mamba with whatever applies" in capsys.readouterr().err


def test_a_model_can_be_held_against_its_own_equation(capsys):
    assert run(["model", "gru", *WORDS, "--reference", "ode"]) == 2
    assert "no differential equation is known of gru" in capsys.readouterr().err
    words = ("--options", "n_state=4,n_blocks=1", "--reference", "ode", "--json")
    assert run(["model", "s5", *WORDS, *words]) == 0
    assert json.loads(capsys.readouterr().out)["reference"] == "ode"


def test_an_adapter_trained_at_another_step_is_told_the_flag_that_there_is(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "my_trained.py").write_text(
        "from timegrain import ModelAdapter, build_layer\n"
        "def net():\n"
        "    return ModelAdapter(build_layer('mamba', d_model=2, n_state=2), trained_dt=0.1)\n"
        "def misspelt():\n"
        "    return ModelAdapter(build_layer('s4d', d_model=2, n_pairs=2), tau='log_dtt')\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ["--cures", "dilate", "--length", "16", "--levels", "3", "--seeds", "1"]
    assert run(["remedy", "my_trained:net", *words]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "a working step of 1 for a model that was trained at 0.1" in error
    assert error.endswith("Try --dt 0.1.")
    assert "--tau" not in error  # which remedy does not have
    assert run(["localise", "my_trained:net", *words[2:]]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "timegrain remedy MODEL --cures dilate on a grid that it can be" in told
    assert "--dt 0.1" in told
    assert run(["remedy", "my_trained:net", *words, "--dt", "0.1"]) == 0
    assert "keep the memory of conv" in capsys.readouterr().out
    assert run(["model", "my_trained:misspelt"]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "named log_dtt" in error
    assert "log_dt" in error.rpartition("Try")[2]
    assert "--tau" not in error
