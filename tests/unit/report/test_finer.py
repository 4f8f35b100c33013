"""The figure and the section of networks on finer and coarser grids."""

from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.text import Annotation

from timegrain.core.result import read_result
from timegrain.report import figures, write_report
from timegrain.report.figures.finer import FLOOR, refined_words
from timegrain.report.figures.frame import NARROW, WIDE

STORED = Path(__file__).parents[2] / "golden" / "v1" / "paper-refinement.json"


@pytest.fixture(scope="module")
def study():
    return read_result(STORED.read_text())


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_every_network_is_a_curve_told_and_not_in_the_panel_of_its_system(study, width):
    figure = figures.refined_scores(study, width=width)
    titles = [axes.get_title(loc="left").replace("\n", " ") for axes in figure.axes]
    assert titles == ["Damped harmonic oscillators", "Ornstein-Uhlenbeck processes"]
    for axes, system in zip(figure.axes, study.systems, strict=True):
        drawn = [list(line.get_ydata()) for line in axes.lines if line.get_linestyle() != "None"]
        for told in (True, False):
            cells = [study.row(system.name, "s4d", tau=t, told=told) for t in study.taus]
            assert [c.score for c in cells] in drawn
            whiskers = [[c.low, c.high] in drawn for c in cells if c.tau != 1]
            assert whiskers == [told] * (len(cells) - 1)
        beside = {t.get_text() for t in axes.findobj(Annotation)}
        below = {t.get_text() for key in figure.legends for t in key.get_texts()}
        assert {"S4D told", "S4D not told"} <= (below if width == NARROW else beside)


def test_a_score_below_the_panel_is_a_caret_at_its_foot(study):
    far = tuple(
        replace(c, score=-7.0, low=-9.0, high=-5.0) if c.told and c.tau == 2 else c
        for c in study.scores
    )
    axes = figures.refined_scores(replace(study, scores=far)).axes[0]
    marks = [line for line in axes.lines if line.get_marker() == 7 and len(line.get_xdata())]
    assert [list(m.get_ydata()) for m in marks] == [[FLOOR]]
    assert axes.get_ylim()[0] < FLOOR


def test_the_page_has_conclusion_figure_scores_and_changes(study, tmp_path):
    text = write_report([study], tmp_path / "page.html").read_text()
    assert dict(study.summary_lines())["conclusion"][:60] in text
    assert text.count("S4D, not told") == 2 * 2  # systems, tables
    assert refined_words(study).title in text
    worst = min((c for c in study.scores if c.told and c.tau == 0.5), key=lambda c: c.change)
    title = next(s.title for s in study.systems if s.name == worst.task)
    assert f"on {title}, the largest loss of 2 systems" in text


def test_coarser_grids_alone_have_a_title_too(study):
    kept = replace(study, scores=tuple(c for c in study.scores if c.tau >= 1))
    assert refined_words(kept).title == "R² at coarser steps"
