"""Rows, lines and figures count from the step that a model was trained at."""

import numpy as np
import pytest

from timegrain import ModelAdapter, model_continuity
from timegrain.core.result import read_result
from timegrain.report.figures import refinement

FEW = {"length": 16, "levels": 3, "seeds": 1}


def leak(u, dt):
    y, kept = np.zeros_like(u), np.exp(-dt / 3)
    for k in range(1, u.shape[1]):
        y[:, k] = kept * y[:, k - 1] + (1 - kept) * u[:, k]
    return y


@pytest.fixture(scope="module")
def found():
    """Trained at a hundredth of the working step."""
    adapter = ModelAdapter(lambda u, tau: leak(u, tau / 100), tau="tau", trained_dt=0.01)
    return model_continuity(adapter, **FEW)


def test_every_row_has_its_own_ratio_and_step(found):
    plain = model_continuity(lambda u, tau=1.0: leak(u, tau), **FEW)
    assert [r.error for r in found.errors] == pytest.approx([r.error for r in plain.errors])
    for rows in (found.errors, found.memory):
        assert [r.tau for r in rows] == [100.0, 50.0, 25.0, 12.5]
    assert [r.tau for r in found.orders] == [100.0, 50.0, 25.0]
    assert [(r["tau"], r["dt"]) for r in found.rows()] == [(100 / 2**j, 2.0**-j) for j in range(4)]
    assert [(r["tau"], r["dt"]) for r in plain.rows()] == [(2.0**-j, 2.0**-j) for j in range(4)]
    # C of error = C tau^p, in the rows' own tau
    assert found.at(1.0).constant == pytest.approx(plain.at(1.0).constant / 100)


def test_lines_say_the_ratio_and_a_stored_result_says_the_same(found):
    lines = dict(found.summary_lines())
    assert lines["error at tau 100"].startswith(f"{found.errors[0].error:.2g} of")
    assert "at tau 100," in lines["memory"]
    assert "at tau 12.5," in lines["memory"]
    assert read_result(found.to_json()) == found
    assert found.working_tau == 100.0


def test_the_figure_is_drawn_over_the_ratio_to_the_trained_step(found):
    (axes,) = refinement([found]).axes[:1]
    curve = max(axes.lines, key=lambda line: len(line.get_xdata()))
    assert sorted(curve.get_xdata()) == [12.5, 25.0, 50.0, 100.0]
