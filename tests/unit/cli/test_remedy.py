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
