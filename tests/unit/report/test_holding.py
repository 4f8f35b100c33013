"""The figure and the section on what selective layers select."""

import dataclasses
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from timegrain.core import read_result
from timegrain.report import write_report
from timegrain.report.figures import attribution
from timegrain.report.figures.frame import NARROW, WIDE
from timegrain.report.figures.holding import attribution_words

FILE = Path(__file__).parents[2] / "golden" / "v1" / "selectivity.json"


@pytest.fixture(scope="module")
def result():
    return read_result(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_no_text_is_cut_off(width, result):
    figure = attribution(result, width=width)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    assert len(figure.axes) == 5
    for axes in figure.axes:
        assert axes.get_xlabel() and axes.get_ylabel()
        for text in [*axes.texts, axes.title, axes.xaxis.label, axes.yaxis.label]:
            box = Text.get_window_extent(text, renderer)
            assert box.x0 >= -1 and box.x1 <= figure.bbox.width + 1, text.get_text()
            assert box.y0 >= -1 and box.y1 <= figure.bbox.height + 1, text.get_text()


def test_points_are_the_exponents_of_what_is_held(result):
    axes = attribution(result).axes[3]
    drawn = [
        [float(y) for y in line.get_ydata()]
        for line in axes.lines
        if line.get_linestyle() == "None" and len(line.get_xdata()) == 5
    ]
    wanted = [
        [row.exponent for row in result.attribution if row.discretization == rule]
        for rule in result.discretizations
    ]
    assert drawn == wanted
    markers = {line.get_marker() for line in axes.lines if line.get_linestyle() == "None"}
    assert len(markers) == 2  # told apart without colour


def test_what_has_no_exponent_leaves_no_point(result):
    blank = tuple(
        dataclasses.replace(
            row, exponent=None, exponent_low=None, exponent_high=None, reason="none"
        )
        for row in result.attribution
    )
    figure = attribution(dataclasses.replace(result, attribution=blank))
    assert not [ln for ln in figure.axes[3].lines if len(ln.get_xdata()) == 5]


def test_the_title_is_the_conclusion(result):
    words = attribution_words(result)
    assert "Delta carries it" in words.title
    assert "exponent" in words.description


def test_it_has_a_section_on_the_page(result, tmp_path):
    text = write_report([result], tmp_path / "page.html").read_text(encoding="utf-8")
    assert "What do the models select" in text
    assert "As theory says" in text
    assert "<svg" in text
