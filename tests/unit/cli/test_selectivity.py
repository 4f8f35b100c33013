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
