"""The figure and the section of random systems."""

from dataclasses import replace

import pytest
from matplotlib.text import Annotation

from timegrain.report import figures, write_report
from timegrain.report.figures.amplitudes import amplitude_words
from timegrain.report.figures.frame import NARROW, WIDE
from timegrain.study import run_study


@pytest.fixture(scope="module")
def study():
    return run_study(
        "paper-continuity", systems=6, amplitudes=(1.0, 4.0, 32.0), taus=(0.0625, 0.125, 0.25)
    )


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_every_amplitude_is_a_curve_in_the_panel_of_its_kind(study, width):
    figure = figures.amplitude_curves(study, width=width)
    titles = [axes.get_title(loc="left").replace("\n", " ") for axes in figure.axes]
    assert titles == ["S4, zero-order hold", "S6, zero-order hold", "S4, bilinear", "S6, bilinear"]
    for axes, family in zip(figure.axes, ["s4", "s6"] * 2, strict=True):
        curves = [line for line in axes.lines if len(line.get_xdata()) == 3]
        rule = "zoh" if axes in figure.axes[:2] else "bilinear"
        drawn = [list(line.get_ydata()) for line in curves]
        assert drawn == [
            [study.row(family, amplitude=a, tau=t, discretization=rule).error for t in study.taus]
            for a in study.amplitudes
        ]
        if width == NARROW:
            continue
        texts = {t.get_text() for t in axes.findobj(Annotation)}
        coincide = {"all amplitudes"} if family == "s4" else {"amplitude 1", "amplitude 32"}
        assert texts == coincide | {"slope 1"}
    if width == NARROW:
        (key,) = figure.legends
        told = [t.get_text() for t in key.get_texts()]
        assert told == ["amplitude 1", "between", "amplitude 32", "slope 1"]


def test_the_norm_that_is_drawn_is_the_one_asked_for(study):
    axes = figures.amplitude_curves(study, norm="rms").axes[1]
    first = study.row("s6", amplitude=1.0, tau=study.taus[0], norm="rms").error
    assert first in [line.get_ydata()[0] for line in axes.lines]


def test_the_page_has_conclusion_figure_and_every_amplitude(study, tmp_path):
    text = write_report([study], tmp_path / "page.html").read_text()
    assert text.count("S6, bilinear, a = 32") == 2
    assert dict(study.summary_lines())["conclusion"].split(";")[0].replace("'", "&#39;") in text
    assert "S6: error at amplitude 32 over that at 1" in text


def test_cells_without_a_value_are_drawn_and_written_with_their_reason(study, tmp_path):
    empty = tuple(
        replace(c, error=None, low=None, high=None, n_dropped=6) if c.family == "s6" else c
        for c in study.errors
    )
    orders = tuple(replace(o, order=None) if o.family == "s6" else o for o in study.orders)
    growths = tuple(
        replace(g, growth=None, low=None, high=None, spread=None) if g.family == "s6" else g
        for g in study.growths
    )
    bare = replace(study, errors=empty, orders=orders, growths=growths)
    assert "S6 unknown" in amplitude_words(bare).title
    text = write_report([bare], tmp_path / "page.html").read_text()
    assert "the output of every system underflows to zero" in text
