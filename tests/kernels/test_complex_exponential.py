"""The complex exponential and the slope of the hold weight, inlined into the compiled loops."""

import numpy as np
import pytest
from numba import njit

from timegrain.kernels.vectors.arithmetic import fill
from timegrain.kernels.vectors.complex_exponential import complex_exponential, weight_slope
from timegrain.kernels.vectors.lanes import lane_count
from timegrain.kernels.vectors.memory import load, store

mpmath = pytest.importorskip("mpmath", reason="mpmath, which torch brings with sympy, is absent")


@njit
def evaluate(z, inverse, out):
    for i in range(z.shape[1]):
        a, b = load(z, (0, i, 0)), load(z, (1, i, 0))
        real, imaginary, excess = complex_exponential(a, b)
        turn = load(inverse, (0, i, 0)), load(inverse, (1, i, 0))
        weight = excess * turn[0] - imaginary * turn[1], excess * turn[1] + imaginary * turn[0]
        slope = weight_slope(a, b, fill(a, 1.0), (real, imaginary), weight, turn)
        store(out, (0, i, 0), real)
        store(out, (1, i, 0), imaginary)
        store(out, (2, i, 0), excess)
        store(out, (3, i, 0), slope[0])
        store(out, (4, i, 0), slope[1])


def values(a, b, dtype):
    """`exp(z)`, `exp(z) - 1` and `d/dz expm1(z)/z`, from the compiled code."""
    z = np.stack([a, b]).astype(dtype).reshape(2, -1, lane_count(np.dtype(dtype)))
    wide = z[0].astype(np.complex128) + 1j * z[1]
    with np.errstate(invalid="ignore"):
        inverse = np.where(wide == 0, 0, 1 / np.where(wide == 0, 1, wide))
    out = np.full((5, *z.shape[1:]), np.nan, dtype)
    evaluate(z, np.stack([inverse.real, inverse.imag]).astype(dtype), out)
    real, imaginary, excess, *slope = out.reshape(5, -1).astype(np.float64)
    return z.reshape(2, -1), (
        real + 1j * imaginary,
        excess + 1j * imaginary,
        slope[0] + 1j * slope[1],
    )


@pytest.mark.parametrize(("dtype", "largest"), [(np.float32, 300.0), (np.float64, 1e5)])
def test_relative_to_their_size_they_are_right_to_a_few_eps(dtype, largest):
    """Modes that decay, from a millionth of a radian on; z = 0 and real and imaginary z too."""
    rng = np.random.default_rng(0)
    a = -(10 ** rng.uniform(-6, 1.5, 512))
    b = rng.choice([-1, 1], 512) * 10 ** rng.uniform(-6, np.log10(largest), 512)
    a[:16], b[8:24] = 0, 0
    z, got = values(a, b, dtype)
    worst = np.zeros(3)
    with mpmath.workdps(60):
        for i, (x, y) in enumerate(z.T):
            w = mpmath.mpc(float(x), float(y))
            exp = mpmath.exp(w)
            slope = ((w - 1) * exp + 1) / w**2 if w else mpmath.mpf(0.5)
            for j, want in enumerate((exp, exp - 1, slope)):
                if want:
                    worst[j] = max(worst[j], abs(mpmath.mpc(got[j][i]) - want) / abs(want))
    # exp: 2 ulp for the size, half an eps of b's 2 pi m, some for 1 - 2 s^2, products; exp - 1:
    # the same, of parts that do not cancel; slope: up to 2 / .35 times that at the series' edge
    assert (worst < np.array([5, 3, 12]) * np.finfo(dtype).eps).all(), worst


def test_at_zero_nothing_is_lost_or_added():
    _, (exp, excess, slope) = values(np.zeros(16), np.zeros(16), np.float32)
    assert (exp == 1).all() and (excess == 0).all() and (slope == 0.5).all()


def test_a_phase_without_meaning_stays_bounded_and_nan_stays_nan():
    b = np.resize([1e9, -1e30, np.nan, 3e38], 16)
    _, (exp, _, _) = values(np.full(16, -1.0), b, np.float32)
    lost = np.isnan(b)
    assert np.isnan(exp[lost]).all()
    assert (np.abs(exp[~lost]) < 0.37).all()
