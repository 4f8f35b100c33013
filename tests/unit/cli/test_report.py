"""`timegrain report`: the page again, and figures for a paper."""

from pathlib import Path

import pytest

from timegrain.cli.main import run
from timegrain.core import read_result
from timegrain.core.output import check_writable, write_output
from timegrain.report import write_report

STORED = Path(__file__).parents[2] / "golden" / "v1"


@pytest.fixture
def directory(tmp_path):
    stored = read_result((STORED / "localisation.json").read_text(encoding="utf-8"))
    out = tmp_path / "out"
    write_output(out, stored)
    write_report([stored], out / "report.html", title="Where & why")
    return out


def test_figures_are_written_beside_the_page(directory, capsys):
    assert run(["report", str(directory), "--figures", "svg,pdf", "--columns", "1"]) == 0
    assert {p.name for p in (directory / "figures").iterdir()} == {
        "modules-1col.svg",
        "modules-1col.pdf",
        "captions.md",
        "references.bib",
    }
    told = capsys.readouterr().err
    assert "modules-1col.svg" in told and "references.bib" in told
    check_writable(directory)  # a command may still write its results here


def test_the_page_keeps_its_heading(directory):
    assert run(["report", str(directory)]) == 0
    assert "<h1>Where &amp; why</h1>" in (directory / "report.html").read_text()
    assert not (directory / "figures").exists()
    assert run(["report", str(directory), "--title", "Mine"]) == 0
    assert "<h1>Mine</h1>" in (directory / "report.html").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--figures", "png"], "svg, pdf"),
        (["--figures", "svg", "--columns", "3"], "1, 2"),
        (["--columns", "1"], "--figures"),
    ],
)
def test_wrong_words_are_errors_that_say_what_is_right(words, said, directory, capsys):
    assert run(["report", str(directory), *words]) == 2
    assert said in capsys.readouterr().err
    assert not (directory / "figures").exists()
