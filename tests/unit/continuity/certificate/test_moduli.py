"""Moduli against signals whose moduli are known."""

import numpy as np
import pytest

from timegrain.continuity.certificate.moduli.declared import Declared
from timegrain.continuity.certificate.moduli.estimated import Estimated
from timegrain.continuity.certificate.moduli.polyline import Polyline

TIMES = np.linspace(0.0, 8.0, 8 * 32 + 1)
WAVE = np.sin(TIMES)[None, :, None]


def test_the_modulus_of_a_sine_is_estimated_from_above_and_closely():
    found = Estimated(samples=WAVE, step=1 / 32)
    for h in (0.25, 0.5, 1.0):
        exact = 2 * np.sin(h / 2)  # the swing around a zero crossing
        # two margins of step^2 / 2, and 2^-10 / 12 where no window lies symmetrically
        assert exact <= found.first(h)[0] <= exact + 1 / 32**2
        # the line misses most around a crest: 1 - cos(h / 2), the second difference 2 (1 - cos)
        missed = 1 - np.cos(h / 2)
        assert missed <= found.second(h)[0] <= 2 * missed + 2 / 32**2
    assert 1 <= found.largest()[0] <= 1 + 1 / 32**2
    assert not found.proved


def test_a_jump_between_two_points_is_seen_whole():
    step = np.where(TIMES < 4.01, 0.0, 3.0)[None, :, None]
    assert Estimated(samples=step, step=1 / 32).first(0.25)[0] >= 3.0


def test_declared_derivatives_bound_a_sine():
    found = Declared(slope=np.ones(1), curvature=np.ones(1), samples=WAVE, step=1 / 32)
    assert found.first(0.5)[0] == 0.5
    assert found.second(0.5)[0] == 0.5**2 / 8
    assert found.second(8.0)[0] == 4.0  # by slope alone it is smaller than by curvature
    rough = Declared(slope=np.ones(1), curvature=None, samples=WAVE, step=1 / 32)
    assert rough.second(0.5)[0] == 0.25
    assert rough.proved


CORNERS = np.array([0.0, 2.0, 1.0, 1.5, -1.0])[None, :, None]


@pytest.mark.parametrize(("h", "exact"), [(0.5, 1.25), (1.0, 2.5), (2.0, 2.5), (4.0, 3.0)])
def test_the_modulus_of_a_polyline_is_exact(h, exact):
    fine = np.interp(np.linspace(0, 4, 4 * 64 + 1), np.arange(5), CORNERS[0, :, 0])
    lag = int(h * 64)
    seen = max(np.abs(fine[k:] - fine[:-k]).max() for k in range(1, lag + 1))
    assert Polyline(samples=CORNERS, step=1.0).first(h)[0] == exact
    assert seen == pytest.approx(exact, abs=1e-12)


def test_lines_through_every_second_corner_miss_what_they_miss():
    found = Polyline(samples=CORNERS, step=1.0)
    assert found.second(2.0)[0] == 1.5  # at the first and third of: 2 - .5, 1.5 - 0
    assert found.second(1.0)[0] == found.second(0.25)[0] == 0.0
    assert found.second(1.5)[0] == found.first(1.5)[0]


def test_an_image_has_the_moduli_of_the_image():
    both = np.concatenate([WAVE, -WAVE], 2)
    matrix = np.array([[1.0, 1.0], [2.0, 0.0]])
    kept = {"samples": both, "step": 1 / 32}
    assert Estimated(**kept).image(matrix).first(0.5)[0] == 0.0  # it cancels, and that is seen
    assert Polyline(**kept).image(matrix).largest() == pytest.approx([0.0, 2.0], rel=1e-3)
    declared = Declared(slope=np.ones(2), curvature=np.ones(2), **kept).image(matrix)
    assert declared.slope.tolist() == declared.curvature.tolist() == [2.0, 2.0]
