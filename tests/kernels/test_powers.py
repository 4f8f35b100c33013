"""Powers of two inlined into the compiled loops, in the form of every processor."""

import numpy as np
import pytest
from numba import njit

from timegrain.kernels.vectors.lane_groups import (
    TOGETHER,
    dot,
    has_feature,
    load_group,
    repeat,
    spread,
    store_group,
    store_totals,
)
from timegrain.kernels.vectors.lanes import lane_count
from timegrain.kernels.vectors.memory import load, store
from timegrain.kernels.vectors.powers import power_by_bits, power_by_scaling, power_of_two

FORMS = [power_by_bits]
if has_feature("avx512dq"):
    FORMS.append(power_by_scaling)
# where the power is a normal number; the last half of a binade is left out
LIMITS = {np.float32: (-126, 127.5), np.float64: (-1022, 1023.5)}


def powers(form, y):
    @njit
    def loop(y, out):
        for i in range(y.shape[0]):
            store(out, (i, 0), form(load(y, (i, 0))))

    lanes = lane_count(y.dtype)
    y = np.resize(y, (-(-y.size // lanes), lanes))
    out = np.full_like(y, np.nan)
    loop(y, out)
    return y, out


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="needs a wider reference")
@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize("form", FORMS)
def test_within_one_ulp_or_two(form, dtype):
    """Over the normal numbers, and densely where a power is near 1."""
    low, high = LIMITS[dtype]
    rng = np.random.default_rng(0)
    y = [rng.uniform(low, high - 0.1, 200_000), rng.normal(size=200_000), [low, high - 1, -1, 1]]
    y, got = powers(form, np.concatenate(y).astype(dtype))
    want = np.exp2(y.astype(np.longdouble))
    ulp = np.spacing(want.astype(dtype)).astype(np.longdouble)
    assert (np.abs(got - want) / ulp).max() <= (1 if dtype == np.float32 else 2)


@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize("form", FORMS)
def test_special_values(form, dtype):
    low, high = LIMITS[dtype]
    huge = np.finfo(dtype).max
    y = np.array([0, -0.0, -np.inf, 2 * low, -huge, np.inf, 2 * high, huge, np.nan], dtype)
    want = np.array([1, 1, 0, 0, 0, np.inf, np.inf, np.inf, np.nan], dtype)
    np.testing.assert_array_equal(powers(form, y)[1].ravel()[: y.size], want)


@njit
def _groups(a, factors, row, power, sums, totals):
    group = load_group(a, (0,))
    store_group(power, (0,), power_of_two(group))
    store(sums, (0,), dot(group, spread(factors, (0,)), load(row, (0,))))
    store_group(a, (0,), group * repeat(load(row, (0,))))
    store_totals(totals, (1,), load_group(a, (0,)))


@pytest.mark.parametrize("dtype", LIMITS)
def test_groups_are_vectors_side_by_side(dtype):
    rng, lanes = np.random.default_rng(0), lane_count(np.dtype(dtype))
    # small whole numbers: sums are exact in any order
    a = rng.integers(-9, 9, TOGETHER * lanes).astype(dtype)
    rows, row = a.reshape(TOGETHER, lanes).copy(), rng.integers(-9, 9, lanes).astype(dtype)
    factors = rng.integers(-9, 9, TOGETHER).astype(dtype)
    power, sums = np.empty_like(a), np.empty(lanes, dtype)
    totals = np.full(TOGETHER + 2, 99, dtype)
    _groups(a, factors, row, power, sums, totals)
    np.testing.assert_array_equal(power.reshape(rows.shape), np.exp2(rows))
    np.testing.assert_array_equal(sums, factors @ rows + row)
    np.testing.assert_array_equal(a.reshape(rows.shape), rows * row)
    np.testing.assert_array_equal(totals, [99, *(rows * row).sum(1), 99])
