import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError, LayoutError, ModelError
from timegrain.models import RidgeBaseline


def waves(cases=60, time=80, channels=1, seed=0):
    """Two classes that differ in frequency; phase, and in the last channel all, is random."""
    random = np.random.default_rng(seed)
    y = np.arange(cases) % 2
    phase = random.uniform(0, 6.3, (cases, 1))
    wave = np.sin((0.2 + 0.1 * y[:, None]) * np.arange(time) + phase)
    x = random.normal(size=(cases, time, channels))
    x[..., 0] = wave + 0.3 * x[..., 0]
    return x, y


@pytest.mark.parametrize("channels", [1, 3])
def test_tells_frequencies_apart(channels):
    x, y = waves(120, channels=channels)
    fit = RidgeBaseline(n_features=400).fit(x[:60], y[:60])
    assert fit.score(x[60:], y[60:]) > 0.95
    # The same with labels that say nothing stays within 4 standard errors of a coin.
    coin = np.random.default_rng(1).permutation(y)
    chance = RidgeBaseline(n_features=400).fit(x[:60], coin[:60]).score(x[60:], coin[60:])
    assert abs(chance - 0.5) < 4 * 0.5 / 60**0.5


def test_a_seed_decides_every_number():
    x, y = waves()
    first, again = (RidgeBaseline(n_features=100, target="value").fit(x, y * 1.0) for _ in range(2))
    other = RidgeBaseline(n_features=100, target="value", seed=1).fit(x, y * 1.0)
    assert np.array_equal(first.predict(x), again.predict(x))
    assert not np.array_equal(first.predict(x), other.predict(x))


def test_what_lies_beyond_lengths_is_not_read():
    x, y = waves(channels=2)
    lengths = np.random.default_rng(0).integers(5, 81, len(x))
    ragged = [row[:n] for row, n in zip(x, lengths, strict=True)]
    for row, n in zip(x, lengths, strict=True):
        row[n:] = np.nan
    padded = RidgeBaseline(n_features=100).fit(x, y, lengths)
    listed = RidgeBaseline(n_features=100).fit(ragged, y)
    assert np.array_equal(padded.predict(x, lengths), listed.predict(ragged))
    assert padded.score(x, y, lengths) == listed.score(ragged, y)


def test_units_do_not_matter():
    x, y = waves(channels=2)
    fit = RidgeBaseline(n_features=100, target="value").fit(x, y * 1.0)
    scaled = x * np.array([1000.0, 1e-3]) + np.array([5.0, -2.0])
    again = RidgeBaseline(n_features=100, target="value").fit(scaled, y * 1.0)
    np.testing.assert_allclose(again.predict(scaled), fit.predict(x), rtol=1e-6, atol=1e-6)


def test_a_channel_that_stands_still_does_no_harm():
    x, y = waves(channels=2)
    x[..., 1] = 7.0
    assert RidgeBaseline(n_features=200).fit(x[:40], y[:40]).score(x[40:], y[40:]) > 0.9


def test_labels_of_any_kind_and_number():
    x, y = waves()
    names = np.array(["slow", "fast"])[y]
    fit = RidgeBaseline(n_features=100).fit(x, names)
    assert set(fit.predict(x)) == {"slow", "fast"}
    three = RidgeBaseline(n_features=100).fit(x, np.arange(60) % 3 + 10)
    assert set(three.predict(x)) <= {10, 11, 12}


def test_values_of_one_output_and_of_several():
    x, _ = waves(200, seed=2)
    y = np.stack([np.ptp(x[..., 0], axis=1), x.mean((1, 2)) * 3], axis=1)
    both = RidgeBaseline(target="value").fit(x[:150], y[:150])
    assert both.predict(x[150:]).shape == (50, 2)
    expected = (
        1
        - ((y[150:] - both.predict(x[150:])) ** 2).sum() / ((y[150:] - y[150:].mean(0)) ** 2).sum()
    )
    assert both.score(x[150:], y[150:]) == pytest.approx(expected)
    assert expected > 0.5
    one = RidgeBaseline(target="value").fit(x[:150], y[:150, 0])
    assert one.predict(x[150:]).shape == (50,)


def test_input_that_cannot_be_used():
    x, y = waves()
    with pytest.raises(ConfigError, match="a kernel gives two features, got 7"):
        RidgeBaseline(n_features=7)
    with pytest.raises(ConfigError, match="target is unknown"):
        RidgeBaseline(target="labels")
    with pytest.raises(ModelError, match="has not seen data"):
        RidgeBaseline().predict(x)
    small = RidgeBaseline(n_features=10)
    with pytest.raises(DataError, match="one class"):
        small.fit(x, np.zeros(60))
    with pytest.raises(LayoutError, match="y does not fit x"):
        small.fit(x, y[:-1])
    with pytest.raises(LayoutError, match=r"case 0 is not a series, got shape \(80,\)"):
        small.fit(x[..., 0], y)
    with pytest.raises(LayoutError, match="lengths does not fit x"):
        small.fit(x, y, np.array([3]))
    with pytest.raises(LayoutError, match="there are no cases"):
        small.fit([], y[:0])
    with pytest.raises(LayoutError, match="case 3 is not a series"):
        small.fit(x, y, np.where(np.arange(60) == 3, 0, 80))
    broken = x.copy()
    broken[2, 5] = np.inf
    with pytest.raises(DataError, match="case 2 has samples that are not finite"):
        small.fit(broken, y)
    with pytest.raises(DataError, match="y has values"):
        RidgeBaseline(target="value", n_features=10).fit(x, np.full(60, np.nan))
    with pytest.raises(DataError, match="case 0 must hold real numbers, got complex128"):
        small.fit(x + 1j, y)
    with pytest.raises(DataError, match="y must hold real numbers"):
        RidgeBaseline(target="value", n_features=10).fit(x, y + 1j)
    with pytest.raises(ConfigError, match="seed is a whole number, got -1"):
        RidgeBaseline(seed=-1)
    fit = small.fit(x, y)
    with pytest.raises(LayoutError, match="fitted on other channels, got 2, expected 1"):
        fit.predict(np.zeros((2, 80, 2)))
    with pytest.raises(LayoutError, match="y does not fit x"):
        fit.score(x, y[:3])
    with pytest.raises(DataError, match="no R"):
        RidgeBaseline(target="value", n_features=10).fit(x, y * 1.0).score(x, np.ones(60))
