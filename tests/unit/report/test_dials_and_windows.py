"""The sections on dials and windows, with everything there is and with next to nothing."""

import math

import numpy as np
import pytest

from timegrain.continuity import dose_response, window_profile
from timegrain.data import Dataset
from timegrain.report import figures, write_report

HOSTILE = '<script>alert("x")</script> & $x_1$'


def data(name="x", x=None):
    x = np.cumsum(np.random.default_rng(0).standard_normal((40, 90, 1)), axis=1) if x is None else x
    return Dataset(name=name, sequences=tuple(x), labels=np.arange(len(x)) % 2,
                   class_names=("a", "b"))  # fmt: skip


@pytest.fixture(scope="module")
def doses():
    found = dose_response(
        data(), {"noise": (0.0, math.inf, 20.0), "decimate": (4, 1)}, retention=4, replicates=99
    )
    bare = dose_response(data(HOSTILE), {"window_shuffle": (1, 8)}, replicates=99)
    still = dose_response(data("still", np.ones((4, 30, 1))), {"window_shuffle": (1, 8)})
    return [found, bare, still]


@pytest.fixture(scope="module")
def windows():
    still = window_profile(data("still", np.ones((4, 30, 1))), (16,))
    return [window_profile(data(), (16, 32, 64), replicates=99), still]


def test_the_page_has_both_sections_and_escapes_names(doses, windows, tmp_path):
    text = write_report([*doses, *windows], tmp_path / "page.html").read_text()
    assert 'id="dials"' in text and 'id="windows"' in text
    assert "<script" not in text
    assert "A dial changes more than it names" in text
    assert "Other results" not in text


@pytest.mark.parametrize("width", [276.0, 560.0])
def test_figures_draw_what_there_is(doses, windows, width):
    for each in (doses, doses[:1], doses[2:]):
        figure = figures.dose_curves(each, width=width)
        assert len(figure.axes) == len({d for r in each for d in r.dials})
    ticks = [t.get_text() for t in figures.dose_curves(doses[:1]).axes[0].get_xticklabels()]
    assert ticks == ["none", "20", "0"]
    for each in (windows, windows[:1], windows[1:]):
        assert len(figures.window_curves(each, width=width).axes) == 2
