"""The errors of 500 random S4 and S6 systems, against a table computed independently."""

import functools

import numpy as np
import pytest

from timegrain.continuity.model.reference_errors import reference_errors
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


def test_zoh_by_eigenvectors_agrees_with_the_matrix_exponential():
    from scipy.linalg import expm

    systems = ReferenceSystems(kind="s4", count=2, seed=3)
    A, steps = hippo_legs(8), 8
    B, C = systems.weights()
    step = expm(0.01 * A / steps)
    hold = np.linalg.solve(A, step - np.eye(8))
    u = systems.inputs(steps, amplitude=1.0)
    x = np.zeros((2, 8))
    for k in range(steps):
        x = x @ step.T + u[:, k, None] * (B @ hold.T)
    expected = (C * x).sum(1)
    # eps times the condition number of the eigenvectors (8e4), a step of eight, is at most 1.5e-10
    # of what the step adds.
    np.testing.assert_allclose(systems.outputs(steps, amplitude=1.0)[:, -1], expected, rtol=1e-10)


@pytest.mark.parametrize("kind", ["s4", "s6"])
def test_the_bilinear_rule_agrees_with_dense_matrices(kind):
    systems = ReferenceSystems(kind=kind, count=2, seed=3, discretization="bilinear")
    A, steps = hippo_legs(8), 8
    B, C = systems.weights()
    u = systems.inputs(steps, amplitude=2.0)
    drive, read = (u, np.ones_like(u)) if kind == "s4" else (u * u, u)
    half = systems._rate(u) / steps / 2
    x = np.zeros((2, 8))
    for k in range(steps):
        for i in range(2):
            left = np.eye(8) - half[i, k] * A
            right = (np.eye(8) + half[i, k] * A) @ x[i] + 2 * half[i, k] * B[i] * drive[i, k]
            x[i] = np.linalg.solve(left, right)
    expected = read[:, -1] * (C * x).sum(1)
    np.testing.assert_allclose(systems.outputs(steps, amplitude=2.0)[:, -1], expected, rtol=1e-10)


def test_several_amplitudes_at_once_are_those_one_by_one():
    systems = ReferenceSystems(kind="s6", count=3, discretization="bilinear")
    both = systems.outputs(16, amplitude=np.array([1.0, 3.0]))
    for found, a in zip(both, (1.0, 3.0), strict=True):
        np.testing.assert_array_equal(found, systems.outputs(16, amplitude=a))


def test_the_two_discretizations_have_one_limit():
    limits = []
    for rule in ("zoh", "bilinear"):
        systems = ReferenceSystems(kind="s6", count=50, discretization=rule)
        fine, coarse = (systems.outputs(2**m, amplitude=1.0) for m in (9, 8))
        limits.append(2 * fine[:, ::2] - coarse)
    gaps = np.abs(limits[0] - limits[1]).max(axis=1) / np.abs(limits[0]).max(axis=1)
    # the rules differ in the cube of lambda s tau a step, .08^3 / 256^2 = 1e-8 over all steps where
    # s is .01; s varies a hundredfold over the inputs, the square of which is 1e-4
    assert np.median(gaps) < 1e-4


def test_an_rms_error_is_taken_over_the_times_of_the_coarse_grid():
    systems = ReferenceSystems(kind="s4", count=3)
    found = reference_errors(systems, (2,), amplitude=1.0, norms=("sup", "rms"))
    fine, finer = (systems.outputs(2**m, amplitude=1.0) for m in (11, 12))
    limit = (2 * finer[:, ::2] - fine)[:, ::1024]
    gap = systems.outputs(2, amplitude=1.0) - limit
    weights = np.array([0.25, 0.5, 0.25])
    expected = np.sqrt((gap**2 * weights).sum(1) / (limit**2 * weights).sum(1))
    np.testing.assert_allclose(found.errors[1, 0], expected, rtol=1e-12)
    np.testing.assert_allclose(found.errors[0, 0], abs(gap).max(1) / abs(limit).max(1), rtol=1e-12)
