"""The errors of 500 random S4 and S6 systems, against a table computed independently."""

import functools

import numpy as np
import pytest

from timegrain.continuity.model.reference_systems import ReferenceSystems, hippo_legs

STEPS = (1024, 256, 64, 16, 4)
TABLE = {
    ("s4", 1.0): (0.0021, 0.0083, 0.034, 0.138, 0.55),
    ("s4", 32.0): (0.0021, 0.0083, 0.034, 0.138, 0.55),
    ("s6", 1.0): (0.0031, 0.0122, 0.051, 0.185, 0.60),
    ("s6", 32.0): (0.0117, 0.046, 0.173, 0.53, 0.95),
}


@functools.cache
def errors(kind: str, amplitude: float) -> np.ndarray:
    return ReferenceSystems(kind=kind, count=500).errors(STEPS, amplitude=amplitude)


@pytest.mark.parametrize("cell", TABLE)
def test_medians_over_500_systems_agree_with_the_table_on_every_cell(cell):
    measured = errors(*cell)
    assert measured.shape[1] == 500
    np.testing.assert_allclose(np.median(measured, axis=1), TABLE[cell], rtol=0.2)


def test_amplitude_multiplies_the_constant_of_s6_and_not_that_of_s4():
    small, large = (np.median(errors("s6", a)[0]) for a in (1.0, 32.0))
    assert 3 < large / small < 5
    # S4 is linear, and a factor of 2^5 is exact in floating point.
    np.testing.assert_array_equal(errors("s4", 32.0), errors("s4", 1.0))


def test_systems_whose_output_underflows_are_left_out():
    systems = ReferenceSystems(kind="s6", count=500)
    kept = systems.errors((4,), amplitude=1e4)
    assert 250 < kept.shape[1] < 500
    assert np.isfinite(kept).all()


@pytest.mark.parametrize("kind", ["s4", "s6"])
def test_both_converge_at_first_order(kind):
    medians = np.median(errors(kind, 1.0), axis=1)
    # From 2^-8 to 2^-10 the table itself gives log4(83/21) = .99 and log4(122/31) = .99.
    assert np.log2(medians[1] / medians[0]) / 2 == pytest.approx(1.0, abs=0.05)


def test_zoh_in_the_eigenbasis_agrees_with_the_matrix_exponential():
    from scipy.linalg import expm

    systems = ReferenceSystems(kind="s4", count=2, seed=3)
    A, steps = hippo_legs(8), 8
    _, inward, outward = systems._diagonal()
    vectors = np.linalg.eig(A)[1]
    B, C = inward @ vectors.T, outward @ np.linalg.inv(vectors)
    step = expm(0.01 * A / steps)
    hold = np.linalg.solve(A, step - np.eye(8))
    u = systems.inputs(steps, amplitude=1.0)
    x = np.zeros((2, 8))
    for k in range(steps):
        x = x @ step.T + u[:, k, None] * (B @ hold.T)
    expected = (C * x).sum(1)
    # eps times the condition number of the eigenvectors (8e4), twice, is 4e-11.
    np.testing.assert_allclose(systems.outputs(steps, amplitude=1.0)[:, -1], expected, rtol=1e-10)
