"""The error of redrawn samples in shares of the variance, against redrawing them."""

from dataclasses import replace

import numpy as np
import pytest

from timegrain.continuity.task.measure import task_continuity
from timegrain.continuity.task.redrawn import mean_weight
from timegrain.data.processes import fractional_brownian
from timegrain.kernels.discontinuity import Pieces


@pytest.mark.parametrize("irregular", [False, True])
def test_it_is_the_mean_square_error_over_the_variance(irregular):
    n = 4001
    x = fractional_brownian(1, n, hurst=0.5)[0]
    rng = np.random.default_rng(1)
    t = np.cumsum(rng.exponential(1, n) + 1e-3) if irregular else np.arange(n) * 1.0
    r = task_continuity(x, times=t) if irregular else task_continuity(x)
    k = r.horizon
    assert k > 1
    kept = np.arange(0, n, k)
    error = (x - np.interp(t, t[kept], x[kept]))[: kept[-1]]
    redrawn = np.arange(len(error)) % k > 0
    # sums of 4,000 squares: a few eps times 4,000
    expected = (error[redrawn] ** 2).mean() / x.var(ddof=1)
    assert r.redrawn_error == pytest.approx(expected, rel=1e-11)


def test_even_times_have_the_weight_of_the_uniform_grid():
    whole = Pieces.whole([65, 9, 30])
    timed = replace(whole, times=np.concatenate([np.arange(n) * 0.1 for n in (65, 9, 30)]))
    for k in (2, 7, 8):
        assert mean_weight(k, timed) == pytest.approx(mean_weight(k, whole), rel=1e-13)


def test_there_is_none_without_a_horizon_or_sizes():
    noise = np.random.default_rng(0).standard_normal((4, 100))
    assert task_continuity(noise).redrawn_error is None
    tokens = task_continuity(np.repeat(np.arange(20), 50), kind="tokens")
    assert tokens.horizon > 1
    assert tokens.redrawn_error is None and "size" in tokens.reasons["redrawn_error"]
