"""What D must not depend on, and what it must.

Derived tolerance: D is a ratio of sums of n < 4,000 squares, each with a relative error of about
n eps = 1e-12; an offset of b standard deviations rounds samples to b eps and moves D by about that.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timegrain.continuity.task.measure import task_continuity
from timegrain.data.processes import autoregressive
from timegrain.kernels.discontinuity import Pieces, profile_sums, token_sums

RTOL = 1e-11
seeds = st.integers(0, 2**32 - 1)


def walks(seed, *shape):
    return np.cumsum(np.random.default_rng(seed).standard_normal(shape), axis=1)


def profile(x, **options):
    return task_continuity(x, replicates=99, **options).discontinuity


@settings(max_examples=12, deadline=None)
@given(seed=seeds, scale=st.floats(1e-6, 1e6), shift=st.floats(-1e3, 1e3))
def test_units_and_offsets_do_not_matter(seed, scale, shift):
    x = walks(seed, 3, 130)
    moved = (x + shift) * scale
    # samples are rounded to 1e3 eps = 2e-13 of walks whose smallest e^2 share is about 1e-3
    assert profile(moved) == pytest.approx(profile(x), rel=1e-8)
    assert profile(-x) == pytest.approx(profile(x), rel=RTOL)


@settings(max_examples=12, deadline=None)
@given(seed=seeds, order=st.permutations(range(7)))
def test_the_order_of_sequences_does_not_matter(seed, order):
    x = walks(seed, 7, 70, 2)
    assert profile(x[order]) == pytest.approx(profile(x), rel=RTOL)
    assert profile(list(x)) == profile(x)


@settings(max_examples=12, deadline=None)
@given(seed=seeds, window=st.integers(3, 40), count=st.integers(1, 5))
def test_windows_are_the_same_as_shorter_sequences(seed, window, count):
    x = walks(seed, 2, window * count)
    cut = profile(x, window=window)
    assert cut == pytest.approx(profile(x.reshape(-1, window)), rel=RTOL)


@settings(max_examples=12, deadline=None)
@given(seed=seeds, k=st.integers(2, 20), pieces=st.integers(1, 6))
def test_time_may_run_backwards_when_the_stride_divides_the_length(seed, k, pieces):
    x = walks(seed, 3, k * pieces + 1)
    if x.shape[1] < 3:
        return
    back = profile(x[:, ::-1], strides=[k])
    assert back[k] == pytest.approx(profile(x, strides=[k])[k], rel=RTOL)


def test_time_reversal_does_matter_when_the_stride_does_not_divide_the_length():
    x = walks(0, 3, 12)
    assert abs(profile(x[:, ::-1], strides=[4])[4] - profile(x, strides=[4])[4]) > 1e-3


@settings(max_examples=12, deadline=None)
@given(seed=seeds)
def test_a_line_adds_nothing_to_the_residuals(seed):
    x = walks(seed, 2, 130)
    tilted = x + 3.0 * np.arange(130)
    a, b = (profile_sums(v.reshape(-1, 1), Pieces.whole([130, 130]), np.array([2, 8, 64]))
            for v in (x, tilted))  # fmt: skip
    same_units = np.ldexp(b.numerator, 2 * (b.exponent - a.exponent)[None, :, None])
    np.testing.assert_allclose(a.numerator, same_units, rtol=1e-9)
    same = profile(tilted, detrend="linear")
    assert same == pytest.approx(profile(x, detrend="linear"), rel=1e-8)


@settings(max_examples=10, deadline=None)
@given(seed=seeds, share=st.floats(0.1, 3.0))
def test_white_noise_moves_d_towards_one(seed, share):
    # from below and from above; sums of 64 x 200 samples tell D to about 2 %
    rng = np.random.default_rng(seed)
    smooth, alternating = (autoregressive(64, 200, rho=r, seed=seed) for r in (0.9, -0.9))
    noise = share**0.5 * rng.standard_normal((64, 200))
    for x in (smooth, alternating):
        before, after = profile(x, strides=[2])[2], profile(x + noise, strides=[2])[2]
        assert abs(after - 1) < abs(before - 1)
        mixed = (before + share) / (1 + share)
        assert after == pytest.approx(mixed, abs=0.15)


@pytest.mark.parametrize("missing", [(), (2,)])
@pytest.mark.parametrize("n", [5, 6, 7])
def test_all_orders_of_a_short_sequence_average_to_one_exactly(n, missing):
    """The numerators of all n! orders have the mean of the denominators: E D = 1."""
    values = np.array([0.3, -1.7, 2.2, 5.1, 0.4, -0.9, 8.8])[:n]
    orders = np.array(list(itertools.permutations(values)))
    orders[:, list(missing)] = np.nan  # the value there goes missing: the rest is still shuffled
    pieces = Pieces.whole([n] * math.factorial(n))
    sums = profile_sums(orders.reshape(-1, 1), pieces, np.array([2, 3, 4]))
    # a mean of at most 5,040 terms of similar size: 5,040 eps = 1e-12
    np.testing.assert_allclose(sums.numerator.sum(0), sums.denominator.sum(0), rtol=1.2e-12)


def test_all_orders_at_uneven_times_average_to_one_exactly():
    times = np.array([0.0, 0.1, 1.0, 1.5, 4.0, 4.2])
    orders = np.array(list(itertools.permutations([1.0, 2.0, 4.0, 8.0, 16.0, 0.5])))
    whole = Pieces.whole([6] * 720)
    pieces = Pieces(**{**vars(whole), "times": np.tile(times, 720)})
    sums = profile_sums(orders.reshape(-1, 1), pieces, np.array([2, 4, 5]))
    np.testing.assert_allclose(sums.numerator.sum(0), sums.denominator.sum(0), rtol=1.2e-12)


def test_all_orders_of_a_short_word_average_to_one_exactly():
    orders = np.array(list(itertools.permutations([0, 0, 1, 2, 2, 2, 7])))
    sums = token_sums(orders.ravel(), Pieces.whole([7] * 5040), np.array([2, 3, 4, 6]))
    np.testing.assert_allclose(sums.numerator.sum(0), sums.denominator.sum(0), rtol=1.2e-12)


@settings(max_examples=10, deadline=None)
@given(seed=seeds, size=st.integers(2, 6))
def test_tokens_are_one_hot_vectors(seed, size):
    tokens = np.random.default_rng(seed).integers(0, size, (4, 67))
    pieces = Pieces.whole([67] * 4)
    one_hot = (tokens.reshape(-1, 1) == np.arange(size)).astype(float)
    encoded = profile_sums(one_hot, pieces, np.array([2, 4, 8]))
    ratio = encoded.numerator.sum((0, 1)) / encoded.denominator.sum((0, 1))
    found = profile(tokens, kind="tokens", strides=[2, 4, 8])
    assert list(found.values()) == pytest.approx(ratio.tolist(), rel=RTOL)


def law(x, **options):
    """Everything that is measured, without the units of what was given."""
    r = task_continuity(x, replicates=99, **options).to_dict()
    for unit in ("provenance", "dt", "horizon_time"):
        del r[unit]
    return {**r, "profile": [{**row, "dt": None} for row in r["profile"]]}


def ragged(seed):
    """Two channels, one of them a thousandth of the other, an offset, NaN, and a quiet piece."""
    x = walks(seed, 4, 90, 2) * np.array([1.0, 1e-3]) + 0.25
    x[0, 7, 1] = np.nan
    x[3] *= 2.0**-30
    return x


@settings(max_examples=30, deadline=None)
@given(
    seed=seeds, k=st.integers(-900, 900), detrend=st.sampled_from([None, "linear"]),
    window=st.sampled_from([None, 30]),
)  # fmt: skip
def test_a_power_of_two_changes_no_bit(seed, k, detrend, window):
    """Scaling by it rounds nothing: walks and their last bits lie within 2^+-100 of 1."""
    x = ragged(seed)
    options = {"detrend": detrend, "window": window, "strides": (2, 3, 4, 6, 8, 16)}
    assert law(np.ldexp(x, k), **options) == law(x, **options)


@settings(max_examples=10, deadline=None)
@given(seed=seeds, k=st.integers(-900, 900))
def test_a_channel_is_measured_alone(seed, k):
    x = walks(seed, 3, 90, 2)
    other = np.stack([x[..., 0], np.ldexp(x[..., 1], k)], axis=2)
    assert law(other) == law(x)


@settings(max_examples=10, deadline=None)
@given(seed=seeds, k=st.integers(400, 900))
def test_residuals_are_standardised_by_piece_whatever_its_size(seed, k):
    rng = np.random.default_rng(seed)
    jumps = np.cumsum(rng.standard_normal((6, 200)) * (rng.random((6, 200)) < 0.05), axis=1)
    quiet = jumps.copy()
    quiet[0] = np.ldexp(quiet[0], -k)
    found, expected = (task_continuity(v).intermittency for v in (quiet, jumps))
    assert found == pytest.approx(expected, rel=RTOL)


@settings(max_examples=15, deadline=None)
@given(seed=seeds, power=st.integers(-300, 200), whole=st.booleans())
def test_the_unit_of_times_does_not_matter(seed, power, whole):
    x = walks(seed, 3, 130)
    gaps = np.random.default_rng(seed).integers(1, 2**10, (3, 130))  # exact in any unit of 2^k
    t = np.cumsum(gaps, axis=1).astype(float)
    strides = (2, 4, 8, 16)
    expected = law(x, times=t, strides=strides)
    assert law(x, times=np.ldexp(t, power), strides=strides) == expected
    # g_q is a mean of powers up to 4 of times with an error of eps; the search over q ends 1e-8
    # from the best, where the loss is flat
    inexact = task_continuity(x, times=t * 3.6e9, strides=strides)
    assert inexact.outcome.name == expected["outcome"]
    for field in ("exponent", "nugget"):
        known = expected[field]
        found = getattr(inexact, field)
        assert found == (known if known is None else pytest.approx(known, rel=1e-5, abs=1e-9))


@settings(max_examples=10, deadline=None)
@given(seed=seeds, offset=st.integers(-(2**40), 2**40))
def test_the_offset_of_times_does_not_matter(seed, offset):
    x = walks(seed, 2, 100)
    t = np.cumsum(np.random.default_rng(seed).integers(1, 100, 100))
    assert law(x, times=t + float(offset)) == law(x, times=t)


def test_even_times_in_any_unit_give_the_law_of_no_times():
    x = walks(0, 8, 512)
    plain = task_continuity(x)
    for unit in (1e-300, 1e-9, 1.0, 3600e6, 1e18, 1e200):
        timed = task_continuity(x, times=np.arange(512) * unit)
        assert timed.exponent == pytest.approx(plain.exponent, rel=1e-6)
        assert timed.outcome is plain.outcome
