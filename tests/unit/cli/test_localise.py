import json

from timegrain.cli.main import run
from timegrain.core.output import read_output

WORDS = ("--d-model", "4", "--length", "16", "--levels", "3", "--seeds", "1")


def test_the_module_is_named_on_stdout_and_stored(tmp_path, capsys):
    assert run(["localise", "mamba", *WORDS, "--json", "--output", str(tmp_path / "out")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["name"], told["first"]) == ("localisation", "mamba", "conv")
    stored = read_output(tmp_path / "out").result
    assert stored.to_dict() == told
    assert "conv (ShortConvolution)" in (tmp_path / "out" / "report.html").read_text()


def test_your_own_module_is_called_by_its_word(tmp_path, monkeypatch, capsys):
    (tmp_path / "my_net.py").write_text(
        "from timegrain.models import Dilated, build_layer\n"
        "def net():\n"
        "    return Dilated(build_layer('mamba', d_model=4, seed=0, skip=False))\n"
    )
    monkeypatch.chdir(tmp_path)
    assert run(["localise", "my_net:net", *WORDS[2:]]) == 0
    out = capsys.readouterr().out
    assert "localisation: my_net:net" in out
    assert "lost first in  none" in out


def test_dry_runs_measure_nothing_and_bad_words_are_refused(capsys):
    assert run(["localise", "mamba", *WORDS, "--dry-run"]) == 0
    assert "would follow the modules of mamba" in capsys.readouterr().err
    assert run(["localise", "mamba", *WORDS[:4], "--levels", "2"]) == 2
    assert "levels >= 3" in capsys.readouterr().err


def test_a_system_and_a_discretization_can_be_named(capsys):
    words = ("--signal", "vdp", "--refine", "resimulate", "--discretization", "bilinear", "--json")
    assert run(["localise", "s4d", *WORDS, *words]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["refine"], told["options"]) == ("resimulate", {"discretization": "bilinear"})
    assert "van der Pol" in told["signal"]
