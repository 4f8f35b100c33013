"""The command beside the function it calls."""

import json

from timegrain.cli.main import run
from timegrain.continuity import selectivity

SIZES = ["--d-model", "2", "--length", "16", "--levels", "4", "--seeds", "2"]
WORDS = [*SIZES, "--amplitudes", "1,8", "--discretizations", "zoh"]


def test_the_command_gives_what_the_function_gives(capsys):
    assert run(["selectivity", "s6", *WORDS, "--options", "n_state=4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    ours = selectivity(
        "s6",
        d_model=2,
        length=16,
        levels=4,
        seeds=2,
        amplitudes=(1, 8),
        discretizations=("zoh",),
        options={"n_state": 4},
    ).to_dict()
    assert told["schema"] == "selectivity"
    for field in ("distributions", "attribution", "errors"):
        assert told[field] == ours[field]


def test_it_writes_a_report_and_refuses_what_selects_nothing(tmp_path, capsys):
    assert run(["selectivity", "s6", *WORDS, "--output", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "What do the models select" in page
    assert run(["selectivity", "s4d", *WORDS]) == 2
    assert "selects nothing" in capsys.readouterr().err


def test_a_dry_run_checks_and_measures_nothing(capsys):
    assert run(["selectivity", "s6,mamba", "--d-model", "2", "--dry-run"]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("", "would look into s6, mamba\n")
    assert run(["selectivity", "gru", "--d-model", "2", "--dry-run"]) == 2
    assert "selects nothing" in capsys.readouterr().err
    assert run(["certify", "s4d", "--d-model", "2", "--dry-run"]) == 0
    assert capsys.readouterr().err == "would certify s4d on sines\n"
