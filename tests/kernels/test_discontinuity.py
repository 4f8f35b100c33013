"""The compiled sums against the plain loop.

Tolerance: a sum of n rounded non-negative terms is off by at most about n eps relatively; pieces
here have n < 10,000, so 10,000 * 2.2e-16 = 2.2e-12.
"""

import dataclasses

import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.kernels.discontinuity import (
    Pieces,
    growth_sums,
    profile_sums,
    residuals,
    token_sums,
)

RTOL = 2.2e-12
STRIDES = np.array([2, 3, 4, 7, 16, 64])


def data(lengths, channels=1, *, missing=0.0, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.standard_normal((sum(lengths), channels)), axis=0)
    x[rng.random(x.shape) < missing] = np.nan
    return x.astype(dtype)


def assert_same(a, b):
    for field in dataclasses.fields(a):
        left, right = getattr(a, field.name), getattr(b, field.name)
        # every sum is of non-negative terms, except that e itself cancels where x moves in lines
        np.testing.assert_allclose(left, right, rtol=RTOL, atol=1e-18, err_msg=field.name)


@pytest.mark.parametrize("missing", [0.0, 0.03, 0.6])
@pytest.mark.parametrize("detrend", [False, True])
@pytest.mark.parametrize("lengths", [[3], [37, 4, 129, 65], [64] * 5, [1, 2, 3, 500], [9000]])
def test_compiled_sums_equal_the_loop(lengths, detrend, missing):
    x = data(lengths, 2, missing=missing)
    pieces = Pieces.whole(lengths)
    fast = profile_sums(x, pieces, STRIDES, detrend=detrend)
    assert_same(fast, profile_sums(x, pieces, STRIDES, detrend=detrend, backend="reference"))


@pytest.mark.parametrize("lengths", [[37, 4, 129], [5000]])
def test_irregular_times_are_used_in_every_sum(lengths):
    x = data(lengths, 1, missing=0.02)
    times = np.cumsum(np.random.default_rng(1).exponential(1.0, sum(lengths)) + 1e-3)
    pieces = dataclasses.replace(Pieces.whole(lengths), times=times)
    for detrend in (False, True):
        fast = profile_sums(x, pieces, STRIDES, detrend=detrend)
        assert_same(fast, profile_sums(x, pieces, STRIDES, detrend=detrend, backend="reference"))
        regular = profile_sums(x, Pieces.whole(lengths), STRIDES, detrend=detrend)
        assert not np.allclose(fast.numerator, regular.numerator)


def test_even_times_give_the_uniform_sums():
    x = data([1000])
    pieces = dataclasses.replace(Pieces.whole([1000]), times=np.arange(1000) * 0.25)
    assert_same(profile_sums(x, pieces, STRIDES), profile_sums(x, Pieces.whole([1000]), STRIDES))


def test_float32_is_summed_in_float64():
    x = data([700, 300], 2, dtype=np.float32)
    pieces = Pieces.whole([700, 300])
    assert_same(profile_sums(x, pieces, STRIDES), profile_sums(x.astype(float), pieces, STRIDES))


def test_blocks_of_one_series_add_up_to_its_sums():
    x = data([1003], missing=0.01)
    whole = Pieces.whole([1003])
    blocks = dataclasses.replace(whole, n_groups=32, n_segments=32)
    fast = profile_sums(x, blocks, STRIDES)
    assert_same(fast, profile_sums(x, blocks, STRIDES, backend="reference"))
    one = profile_sums(x, whole, STRIDES)
    np.testing.assert_allclose(fast.numerator.sum(0), one.numerator[0], rtol=RTOL)
    np.testing.assert_allclose(fast.denominator.sum(0), one.denominator[0], rtol=RTOL)
    assert (fast.numerator > 0).all(axis=(1, 2)).sum() < 32  # stride 64 has only 15 intervals


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("segments", [1, 7])
@pytest.mark.parametrize("last", [2, 32, 64, 256, 4096])
def test_whole_blocks_stand_beside_those_with_gaps_and_with_two_segments(last, segments, dtype):
    # blocks of 512 samples: gaps within one, at its last sample, and at the first of the next
    x = data([20_000], dtype=dtype)
    x[[700, 701, 3071, 4096, 12_345]] = np.nan
    strides = np.array([k for k in (2, 4, 32, 64, 256, 4096) if k <= last])
    pieces = dataclasses.replace(Pieces.whole([20_000]), n_groups=segments, n_segments=segments)
    fast = profile_sums(x, pieces, strides)
    # 20,000 terms, and two digits for what cancels up to stride 64, one more beyond
    slow = profile_sums(x, pieces, strides, backend="reference")
    for name in ("numerator", "denominator", "fourth", "low", "high"):
        got, want = getattr(fast, name), getattr(slow, name)
        np.testing.assert_allclose(got, want, rtol=20_000 * 2.2e-16, err_msg=name)
    for name in ("triples", "skipped", "missing"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name), err_msg=name)


def test_strides_longer_than_a_tile():
    x = data([20_001])
    strides = np.array([2, 1500, 5000])
    fast = profile_sums(x, Pieces.whole([20_001]), strides)
    slow = profile_sums(x, Pieces.whole([20_001]), strides, backend="reference")
    np.testing.assert_allclose(fast.numerator, slow.numerator, rtol=1e-11)
    np.testing.assert_allclose(fast.denominator, slow.denominator, rtol=1e-11)


def test_a_large_offset_costs_no_digits():
    # x and x + 2^40 are both exact multiples of 2^-10, so e and s^2 are the same numbers
    x = np.round(data([5000]) * 2**10) / 2**10
    pieces = Pieces.whole([5000])
    plain, lifted = profile_sums(x, pieces, STRIDES), profile_sums(x + 2.0**40, pieces, STRIDES)
    np.testing.assert_allclose(plain.numerator, lifted.numerator, rtol=RTOL)
    np.testing.assert_allclose(plain.denominator, lifted.denominator, rtol=RTOL)


@pytest.mark.parametrize("power", [-1074, -1022, -900, -300, 300, 900, 1010])
def test_no_square_leaves_the_range_of_floats(power):
    lengths = [37, 129, 4, 300]
    x = data(lengths, 2, missing=0.02)
    x[:37] *= 2.0**-200  # a piece whose fourth powers would vanish beside the others'
    pieces = Pieces.whole(lengths)
    scaled = np.ldexp(x, power)
    fast = profile_sums(scaled, pieces, STRIDES, detrend=True)
    assert_same(fast, profile_sums(scaled, pieces, STRIDES, detrend=True, backend="reference"))
    if -750 <= power <= 900:  # beyond, the samples themselves were rounded
        plain = profile_sums(x, pieces, STRIDES, detrend=True)
        np.testing.assert_array_equal(fast.exponent, plain.exponent + power)
        for field in ("numerator", "denominator", "variance", "fourth", "fourth_count"):
            np.testing.assert_array_equal(getattr(fast, field), getattr(plain, field))
        assert (plain.fourth_count == plain.triples[:, 0]).all()


def test_the_unit_of_the_sums_is_that_of_the_widest_piece():
    x = np.array([0.0, 5.0, 0.0, 0.0, 1.0, 0.0])[:, None]
    sums = profile_sums(x, Pieces.whole([3, 3]), np.array([2]))
    assert sums.exponent.tolist() == [2]
    assert (sums.numerator[:, 0, 0] * 4.0**2).tolist() == [25.0, 1.0]
    flat = profile_sums(np.full((4, 1), 7.0), Pieces.whole([4]), np.array([2]))
    assert flat.variance.tolist() == flat.numerator.ravel().tolist() == [0.0]


def test_infinite_values_show_in_the_ends():
    x = data([50], 2)
    x[3, 0], x[9, 1] = np.inf, -np.inf
    sums = profile_sums(x, Pieces.whole([50]), STRIDES)
    assert sums.high[0] == np.inf and sums.low[1] == -np.inf


def test_a_read_only_array_is_accepted():
    x = data([100])
    x.setflags(write=False)
    assert profile_sums(x, Pieces.whole([100]), STRIDES).triples[0, 0] == 49


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_residuals_equal_the_loop(dtype):
    x = data([101, 37], 2, missing=0.05, dtype=dtype)
    pieces = Pieces.whole([101, 37])
    fast = residuals(x, pieces, 7, 1)
    slow = residuals(x, pieces, 7, 1, backend="reference")
    np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("vocabulary", [[0, 1], [-3, 0, 7, 12], [0, 10**12, 5, 6, 7]])
def test_token_equalities_equal_one_hot_vectors(vocabulary):
    lengths = [50, 3, 131, 2, 77]
    tokens = np.random.default_rng(0).choice(np.array(vocabulary), sum(lengths))
    pieces = Pieces.whole(lengths)
    fast = token_sums(tokens, pieces, STRIDES)
    slow = token_sums(tokens, pieces, STRIDES, backend="reference")
    for name in ("numerator", "denominator", "variance"):
        np.testing.assert_allclose(getattr(fast, name), getattr(slow, name), rtol=RTOL)
    assert (fast.triples == slow.triples).all()


def test_growth_sums_on_even_times_are_the_uniform_averages():
    pieces = dataclasses.replace(Pieces.whole([257]), times=np.arange(257.0))
    q = np.array([0.2, 1.0, 2.0, 3.3, 4.0])
    for k in (2, 8, 64):
        j = np.arange(1, k)
        w = j / k
        for exponent, got in zip(q, growth_sums(pieces, k, q), strict=True):
            if exponent == 2:
                h = np.abs(
                    (1 - w) * j**2 * np.log(j)
                    + w * (k - j) ** 2 * np.log(k - j)
                    - w * (1 - w) * k**2 * np.log(k)
                )
            else:
                h = np.abs(
                    (1 - w) * j**exponent + w * (k - j) ** exponent - w * (1 - w) * k**exponent
                )
                h = h / abs(exponent - 2)
            expected = h.mean() / (1 + (1 - w) ** 2 + w**2).mean()
            assert got == pytest.approx(expected, rel=1e-11)


def test_growth_sums_scale_with_the_unit_of_times_and_cancel_nowhere():
    t = np.cumsum(np.random.default_rng(0).exponential(1.0, 257) + 1e-3)
    q = np.array([0.2, 1.0, 1.999999, 2.0, 2.000001, 3.3, 4.0])
    one = growth_sums(dataclasses.replace(Pieces.whole([257]), times=t), 8, q)
    for power in (-60, -10, 30, 60):
        other = dataclasses.replace(Pieces.whole([257]), times=np.ldexp(t, power))
        np.testing.assert_allclose(growth_sums(other, 8, q) / 2.0 ** (power * q), one, rtol=1e-12)
    assert one[2:5] == pytest.approx(one[3], rel=1e-5)  # no jump at q = 2


def test_growth_sums_of_a_step_that_is_nothing_beside_the_next():
    pieces = dataclasses.replace(Pieces.whole([3]), times=np.array([0.0, 1e-300, 1.0]))
    q = np.array([0.2, 2.0, 4.0])
    # h_q = w^q to first order below q = 1; w |w - 1| and less above
    expected = np.array([1e-60 / 1.8, 0.0, 0.0]) / 2
    np.testing.assert_allclose(growth_sums(pieces, 2, q), expected, rtol=1e-12, atol=1e-250)


def test_an_unknown_backend_is_an_error():
    with pytest.raises(ConfigError, match="unknown backend"):
        profile_sums(data([9]), Pieces.whole([9]), STRIDES, backend="triton")  # type: ignore[arg-type]


@pytest.mark.parametrize("lengths", [[700_001], [300_000, 5, 400_000]])
def test_the_number_of_threads_changes_no_bit(lengths, monkeypatch):
    from timegrain.kernels import threads

    x = data(lengths, 2, missing=0.001)
    results = []
    for number in (1, 2, 3, 7):
        monkeypatch.setattr(threads, "_threads", lambda n=number: n)
        results.append(profile_sums(x, Pieces.whole(lengths), STRIDES, detrend=True))
    for other in results[1:]:
        for field in dataclasses.fields(other):
            a, b = getattr(results[0], field.name), getattr(other, field.name)
            np.testing.assert_array_equal(a, b, err_msg=field.name)


def test_doubling_strides_cancels_less_than_two_digits():
    # all roughness at stride 32 and none elsewhere: e at 64 is one spike, at 32 a whole triangle
    x = np.zeros((64 * 40 + 1, 1))
    x[32::64] = 1 + np.random.default_rng(0).random((40, 1))
    strides = np.array([2, 4, 8, 16, 32, 64])
    pieces = Pieces.whole([len(x)])
    fast, slow = (profile_sums(x, pieces, strides, backend=b) for b in ("numba", "reference"))
    np.testing.assert_allclose(fast.numerator, slow.numerator, rtol=100 * 2.2e-16)
    # strides that are no power of two, or whose half is not asked for, take no part in doubling
    for alone in ([64], [32, 64], [3, 6, 12], [2, 64]):
        one = profile_sums(x, pieces, np.array(alone))
        two = profile_sums(x, pieces, np.array(alone), backend="reference")
        np.testing.assert_allclose(one.numerator, two.numerator, rtol=100 * 2.2e-16)


def test_lines_have_no_residual():
    x = np.arange(10_000.0)[:, None] * 0.1 + 5
    sums = profile_sums(x, Pieces.whole([len(x)]), np.array([2, 4, 8, 16, 32, 64]))
    assert (sums.numerator >= 0).all()
    # samples of size 1000 are rounded to 1000 eps, their range is 1000: e < 4 eps of the range
    ratio = sums.numerator / sums.denominator
    assert ratio.max() < (4 * 2.2e-16) ** 2 * 12  # s^2 of a line is range^2 / 12
