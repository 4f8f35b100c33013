"""The exponential and the hold weight inlined into the compiled loops."""

import platform
import re

import numpy as np
import pytest
from numba import njit

from timegrain.kernels.vectors.arithmetic import fill
from timegrain.kernels.vectors.exponential import exponential, exponential_and_weight, weight_slope
from timegrain.kernels.vectors.lanes import lane_count
from timegrain.kernels.vectors.memory import load, store

LIMITS = {np.float32: (-87.33, 88.37), np.float64: (-708.39, 709.43)}


@njit
def exponentials(x, out):
    for i in range(x.shape[0]):
        store(out, (i, 0), exponential(load(x, (i, 0))))


@njit
def weights(a, step, decay, weight, slope):
    for i in range(a.shape[0]):
        x = load(a, (i, 0))
        h = fill(a, step)
        inverse = a[i].copy()
        for j in range(inverse.size):
            inverse[j] = 1.0 / a[i, j] if a[i, j] != 0.0 else np.inf
        r = load(inverse, (0,))
        e, w = exponential_and_weight(h * x, h, r)
        store(decay, (i, 0), e)
        store(weight, (i, 0), w)
        store(slope, (i, 0), weight_slope(h * x, h, r, e, w))


def rows(x):
    lanes = lane_count(x.dtype)
    return np.resize(x, (-(-x.size // lanes), lanes))


def exp_of(x):
    x = rows(x)
    out = np.full_like(x, np.nan)
    exponentials(x, out)
    return x, out


def test_float32_is_within_two_ulp_everywhere():
    """Every 101st number of both signs, as far as the result is a normal number."""
    low, high = LIMITS[np.float32]
    for end in (low, high):
        last = np.float32(abs(end)).view(np.uint32)
        x = np.arange(0, last, 101, dtype=np.uint32).view(np.float32)
        x, got = exp_of(np.copysign(x, np.float32(end)))
        want = np.exp(x.astype(np.float64))
        ulp = np.spacing(want.astype(np.float32)).astype(np.float64)
        assert (np.abs(got - want) / ulp).max() <= 2


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="needs a wider exponential")
def test_float64_is_within_two_ulp():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(*LIMITS[np.float64], 200_000), rng.normal(size=200_000) / 9])
    x, got = exp_of(x)
    want = np.exp(x.astype(np.longdouble))
    assert (np.abs(got - want) / np.spacing(want.astype(np.float64))).max() <= 2


@pytest.mark.parametrize("dtype", LIMITS)
def test_special_values(dtype):
    low, high = LIMITS[dtype]
    x = np.array([0, -0.0, -np.inf, 2 * low, np.inf, 2 * high, np.nan], dtype)
    with np.errstate(over="ignore"):
        x = np.append(x, np.finfo(dtype).min)
    want = np.array([1, 1, 0, 0, np.inf, np.inf, np.nan, 0], dtype)
    np.testing.assert_array_equal(exp_of(x)[1].ravel()[: x.size], want)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="needs a wider reference")
@pytest.mark.parametrize("dtype", LIMITS)
def test_weight_and_its_slope(dtype):
    """expm1(h a)/a and its derivative in a, through the switch of formulas at |h a| = .35."""
    size = np.concatenate([np.logspace(-20, 1.5, 4001), np.linspace(0.3, 0.4, 4001)])
    a = rows(np.concatenate([-size, size, [0.0]]).astype(dtype))
    decay, weight, slope = (np.full_like(a, np.nan) for _ in range(3))
    step = 0.5
    weights(a, dtype(step), decay, weight, slope)
    wide = a.astype(np.longdouble)
    z = wide * step
    safe = np.where(z == 0, 1, z)
    want = np.where(z == 0, step, step * np.expm1(safe) / safe)
    # the series where the quotient cancels: 25 terms leave 1e-27 at |z| = 1
    series = np.zeros_like(z)
    factorial = np.cumprod(np.arange(1, 30, dtype=np.longdouble))
    for k in range(25, -1, -1):
        series = series * np.where(np.abs(z) < 1, z, 0) + (k + 1) / factorial[k + 1]
    quotient = (np.exp(safe) * (safe - 1) + 1) / safe**2
    slope_want = step**2 * np.where(np.abs(z) < 1, series, quotient)
    eps = np.finfo(dtype).eps
    # weight: 2 ulp of exp(z), up to 3.3 times that from exp(z) - 1, two products; the argument is
    # exact because the step is a power of two. slope: h exp(z) - w cancels up to 6 times once more.
    assert (np.abs(weight - want) / np.abs(want)).max() < 8 * eps
    assert (np.abs(slope - slope_want) / slope_want).max() < 50 * eps
    assert np.array_equal(decay, exp_of(a.ravel() * dtype(step))[1])


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86 assembly")
def test_the_loop_is_vectorised_and_calls_no_library():
    exp_of(np.zeros(1, np.float32))
    (assembly,) = [
        text for key, text in exponentials.inspect_asm().items() if key[0].dtype.bitwidth == 32
    ]
    assert re.search(r"v?mulps|vfn?madd\w+ps", assembly)
    assert not re.search(r"vfn?madd\w+ss|call\w*\s+.*expf?\b", assembly)
