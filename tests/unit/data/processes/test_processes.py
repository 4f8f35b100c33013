import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.data.processes import (
    autoregressive,
    autoregressive_discontinuity,
    fractional_brownian,
    sines_with_noise,
    telegraph,
)


@pytest.mark.parametrize("hurst", [0.2, 0.5, 0.9])
def test_fractional_brownian_variogram(hurst):
    x = fractional_brownian(20_000, 33, hurst=hurst, seed=1)
    for lag in (1, 4, 32):
        found = ((x[:, lag] - x[:, 0]) ** 2).mean()
        # a mean of 20,000 squares of a Gaussian: sqrt(2 / 20,000) = 1 %; four of them
        assert found == pytest.approx(lag ** (2 * hurst), rel=0.04)
        middle = ((x[:, 32] - x[:, 32 - lag]) ** 2).mean()
        assert middle == pytest.approx(lag ** (2 * hurst), rel=0.04)


def test_fractional_brownian_starts_at_zero_and_is_seeded():
    x = fractional_brownian(2, 2, hurst=0.7, seed=5)
    assert x.shape == (2, 2) and (x[:, 0] == 0).all()
    assert (x == fractional_brownian(2, 2, hurst=0.7, seed=5)).all()
    assert (x != fractional_brownian(2, 2, hurst=0.7, seed=6)).any()


def test_autoregression_is_stationary_with_its_correlation():
    x = autoregressive(40_000, 8, rho=-0.6, seed=2)
    # correlations of 40,000 pairs: 1/sqrt(40,000) = .005; four of them
    for k in (0, 7):
        assert x[:, k].var() == pytest.approx(1, abs=0.03)
    assert np.corrcoef(x[:, 3], x[:, 4])[0, 1] == pytest.approx(-0.6, abs=0.02)
    assert np.corrcoef(x[:, 3], x[:, 5])[0, 1] == pytest.approx(0.36, abs=0.02)


def test_sines_carry_their_share_of_noise():
    x = sines_with_noise(1, 100_000, frequencies=[1.0, 3.0], noise_share=0.25, dt=0.01)
    # the sines have a whole number of periods: variance 1; noise 1/3; sqrt(2 / 1e5) = .5 % each
    assert x.var() == pytest.approx(4 / 3, rel=0.02)


def test_telegraph_changes_at_its_rate():
    x = telegraph(100, 1000, rate=0.02)
    assert set(np.unique(x)) == {-1.0, 1.0}
    # 2,000 changes: 1/sqrt(2,000) = 2.2 %; four of them
    assert (np.diff(x) != 0).mean() == pytest.approx(0.02, rel=0.09)


@pytest.mark.parametrize(
    "make",
    [
        lambda: fractional_brownian(1, 9, hurst=1.0),
        lambda: fractional_brownian(0, 9, hurst=0.5),
        lambda: autoregressive(1, 9, rho=1.0),
        lambda: autoregressive_discontinuity(-1.5, 9),
        lambda: sines_with_noise(1, 9, frequencies=[0.6], noise_share=0.1),
        lambda: sines_with_noise(1, 9, frequencies=[], noise_share=0.1),
        lambda: sines_with_noise(1, 9, frequencies=[0.1], noise_share=1.0),
        lambda: telegraph(1, 9, rate=1.1),
    ],
)
def test_arguments_outside_their_domain(make):
    with pytest.raises(ConfigError):
        make()
