"""Vectors in compiled code against what numpy makes of the same numbers."""

import numpy as np
import pytest
from numba import njit

from timegrain.kernels.vectors.arithmetic import greater, greatest, least, lesser
from timegrain.kernels.vectors.lanes import lane_count
from timegrain.kernels.vectors.memory import load, load_double, store, transpose

DTYPES = [np.float32, np.float64]


@njit
def moved(source, at, step, target, row):
    transpose(source, at, step, target, row)


@njit
def chosen(a, b, out):
    store(out, (0, 0), lesser(load(a, (0,)), load(b, (0,))))
    store(out, (1, 0), greater(load(a, (0,)), load(b, (0,))))
    return least(load(b, (0,))), greatest(load(b, (0,)))


@njit
def widened(x, at, out):
    store(out, (0,), load_double(x, (at,)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_block_is_transposed_where_it_lies(dtype):
    n = lane_count(np.dtype(dtype))
    step, at, row = n + 5, 3, 2
    source = np.arange(at + n * step, dtype=dtype)
    target = np.full((n + 4, n), -1, dtype=dtype)
    moved(source, at, step, target, row)
    np.testing.assert_array_equal(target[row:-2], source[at:].reshape(n, step)[:, :n].T)
    assert (target[:row] == -1).all() and (target[-2:] == -1).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_lesser_passes_over_a_missing_number(dtype):
    n = lane_count(np.dtype(dtype))
    a, b = np.random.default_rng(0).standard_normal((2, n)).astype(dtype)
    a[1], a[2], b[3] = np.nan, -np.inf, np.inf
    out = np.empty((2, n), dtype=dtype)
    ends = chosen(a, b, out)
    np.testing.assert_array_equal(out, [np.fmin(a, b), np.fmax(a, b)])
    assert ends == (b.min(), b.max())


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_are_widened_without_change(dtype):
    x = np.random.default_rng(0).standard_normal(40).astype(dtype)
    out = np.empty(lane_count(np.dtype("float64")))
    widened(x, 5, out)
    np.testing.assert_array_equal(out, x[5 : 5 + len(out)])
