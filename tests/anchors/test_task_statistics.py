"""Do the intervals cover, do irregular times agree with theory, and do the ends lie apart?"""

import numpy as np
import pytest

from timegrain.continuity import dataset_continuity
from timegrain.continuity.task.measure import task_continuity
from timegrain.data import Dataset, load_dataset
from timegrain.data.dials import decimate
from timegrain.data.processes import autoregressive, autoregressive_discontinuity
from timegrain.kernels.discontinuity import Pieces, profile_sums
from timegrain.stats.bootstrap import ratio_intervals

RUNS, LENGTH, CHUNK = 2000, 64, 200


def coverage(rho, n):
    """Share of runs whose interval of D(2) holds its closed form; a run stands as a channel."""
    x = autoregressive(n * RUNS, LENGTH, rho=rho, seed=n)
    sums = profile_sums(x.reshape(-1, 1), Pieces.whole([LENGTH] * (n * RUNS)), np.array([2]))
    above, below = (
        np.ascontiguousarray(v[:, 0, 0].reshape(RUNS, n).T[:, :, None])
        for v in (sums.numerator, sums.denominator)
    )
    expected, hits = autoregressive_discontinuity(rho, LENGTH), 0
    for first in range(0, RUNS, CHUNK):
        part = slice(first, first + CHUNK)  # a seed of its own for the weights of each part
        found = ratio_intervals(above[:, part], below[:, part], seed=first)
        hits += int(((found.low <= expected) & (expected <= found.high)).sum())
    return hits / RUNS


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("n", [100, 12])
def test_intervals_cover_the_closed_form_in_93_to_97_percent_of_runs(rho, n):
    # 2,000 runs tell a coverage of 95 % to sqrt(.95 * .05 / 2,000) = .5 %; four of those are 2 %
    assert 0.93 <= coverage(rho, n) <= 0.97


def test_the_runs_of_the_coverage_are_measured_as_a_user_measures():
    x = autoregressive(100, LENGTH, rho=0.9, seed=1)
    sums = profile_sums(x.reshape(-1, 1), Pieces.whole([LENGTH] * 100), np.array([2]))
    ends = ratio_intervals(sums.numerator, sums.denominator, seed=5)
    low, high = task_continuity(x, strides=[2], seed=5).interval
    assert (1 - high, 1 - low) == pytest.approx((ends.low[0, 0], ends.high[0, 0]), rel=1e-12)


def ornstein_uhlenbeck(times, theta, rng):
    """Exact paths of variance 1 at instants `(batch, time)`: correlation exp(-|dt| / theta)."""
    x = np.empty_like(times)
    x[:, 0] = rng.standard_normal(len(times))
    rho = np.exp(-np.diff(times, axis=1) / theta)
    noise = np.sqrt(1 - rho**2) * rng.standard_normal(rho.shape)
    for k in range(rho.shape[1]):
        x[:, k + 1] = rho[:, k] * x[:, k] + noise[:, k]
    return x


def expected_discontinuity(times, theta, k):
    """`sum E e^2 / sum (E s^2 weight)`: both are sums of correlations at the actual times.

    `E e^2 = 1 + v^2 + w^2 - 2 v r(left) - 2 w r(right) + 2 v w r(both)`, `v = 1 - w`, and `E s^2`
    is the mean over pairs of samples of `1 - r`.
    """
    length = times.shape[1]
    pairs = np.triu_indices(length, 1)
    spread = 1 - np.exp(-(times[:, pairs[1]] - times[:, pairs[0]]) / theta).mean(axis=1)
    above = below = 0.0
    for a in range(0, length - k, k):
        whole = times[:, a + k] - times[:, a]
        for j in range(1, k):
            left = times[:, a + j] - times[:, a]
            w = left / whole
            v, r = 1 - w, [np.exp(-t / theta) for t in (left, whole - left, whole)]
            weight = 1 + v**2 + w**2
            above += (weight - 2 * v * r[0] - 2 * w * r[1] + 2 * v * w * r[2]).sum()
            below += (spread * weight).sum()
    return above / below


@pytest.mark.parametrize("theta", [2.0, 20.0])
def test_irregular_ornstein_uhlenbeck_agrees_with_its_closed_form(theta):
    rng = np.random.default_rng(3)
    times = np.cumsum(rng.exponential(1.0, (3000, 65)) + 1e-3, axis=1)
    found = task_continuity(
        ornstein_uhlenbeck(times, theta, rng), times=times, strides=(2, 4, 8), replicates=199
    )
    for row in found.profile:
        if row.channel is None:
            # half an interval is 1.96 standard errors; four of them, and the bias of a ratio of
            # means over 3,000 sequences is below a hundredth of one
            error = (row.high - row.low) / 2 / 1.96
            expected = expected_discontinuity(times, theta, row.stride)
            assert row.discontinuity == pytest.approx(expected, abs=4 * error)
            assert error < 0.02 * expected


def test_even_steps_give_the_closed_form_of_autoregression():
    times = np.arange(50.0)[None]
    assert expected_discontinuity(times, 5.0, 2) == pytest.approx(
        autoregressive_discontinuity(np.exp(-1 / 5), 50), rel=0.01
    )  # 50 samples: the last one takes part in s^2 and in no triple


def apart(smooth, rough):
    """Whether the intervals of two continuities are disjoint, the first above."""
    return smooth.interval[0] > rough.interval[1]


@pytest.mark.parametrize(
    ("smooth", "rough"), [("mnist-row", "mnist-permuted"), ("stocks-level", "stocks-return")]
)
def test_the_same_data_lie_at_both_ends(smooth, rough):
    found = [dataset_continuity(load_dataset(name), replicates=199) for name in (smooth, rough)]
    assert apart(*found)
    assert found[0].horizon >= found[1].horizon


def test_a_tone_at_its_full_rate_and_thinned_without_a_filter_lie_at_both_ends():
    phase = np.random.default_rng(0).uniform(0, 2 * np.pi, (80, 1))
    x = np.sin(2 * np.pi * 10 * np.arange(4000) / 1000 + phase)
    full = Dataset(name="tone", sequences=tuple(s[:, None] for s in x), dt=1e-3, unit="s")
    thinned = decimate(full, 40)  # 10 Hz at 25 Hz, .4 of the rate
    smooth, rough = dataset_continuity(full), dataset_continuity(thinned)
    assert apart(smooth, rough)
    # a tone of w radians a sample has E e^2 = (1 - cos w)^2 / 2 and s^2 = 1 / 2
    w = 2 * np.pi * 0.4
    assert rough.discontinuity[2] == pytest.approx((1 - np.cos(w)) ** 2 / 1.5, rel=0.03)
    assert smooth.horizon >= 16 and rough.horizon == 1
