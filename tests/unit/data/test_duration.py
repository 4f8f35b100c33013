import pytest

from timegrain.core.errors import ConfigError
from timegrain.data.duration import to_samples


@pytest.mark.parametrize(
    ("length", "dt", "unit", "samples"),
    [
        (128, 1.0, "sample", 128),
        ("128", 0.01, "s", 128),
        ("2s", 0.01, "s", 200),
        ("2 s", 10.0, "ms", 200),
        ("1d", 1.0, "h", 24),
        ("0.3s", 0.1, "s", 3),
        ("1.04s", 0.1, "s", 10),
        ("5e-1s", 0.1, "s", 5),
    ],
)
def test_lengths_in_samples(length, dt, unit, samples):
    assert to_samples(length, dt, unit) == samples


@pytest.mark.parametrize(
    ("length", "dt", "unit", "match"),
    [
        ("2s", 1.0, "sample", "cannot be a time"),
        ("2s", 1.0, "time unit", "have no unit"),
        ("2 fortnights", 1.0, "s", "number of samples, or a time"),
        ("-3", 1.0, "s", "number of samples, or a time"),
        ("1.2.3s", 1.0, "s", "number of samples, or a time"),
        ("2.5", 1.0, "s", "whole number of samples"),
        ("0", 1.0, "s", "too short"),
        ("1ms", 1.0, "s", "too short"),
        (True, 1.0, "s", "number of samples, or a time"),
        (2.0, 1.0, "s", "number of samples, or a time"),
    ],
)
def test_what_is_no_length(length, dt, unit, match):
    with pytest.raises(ConfigError, match=match):
        to_samples(length, dt, unit)


@pytest.mark.parametrize("length", ["1e99s", "1e13", 10**15])
def test_no_recording_is_so_long(length):
    with pytest.raises(ConfigError, match="window is too long"):
        to_samples(length, 0.01, "s")
