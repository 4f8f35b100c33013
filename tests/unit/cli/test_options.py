import pytest

from timegrain.cli import options
from timegrain.core.errors import ConfigError


@pytest.mark.parametrize(
    ("dt", "hz", "expected"),
    [
        ("2ms", None, (2.0, "ms")),
        ("0.5s", None, (0.5, "s")),
        ("1min", None, (1.0, "min")),
        ("3", None, (3.0, "s")),
        (None, 100.0, (0.01, "s")),
        (None, None, None),
    ],
)
def test_steps(dt, hz, expected):
    assert options.step(dt, hz) == expected


@pytest.mark.parametrize(
    "call",
    [
        lambda: options.step("2ms", 500.0),
        lambda: options.step("fast", None),
        lambda: options.step("-2ms", None),
        lambda: options.step("nan", None),
        lambda: options.step(None, 0.0),
        lambda: options.numbers("1,x", "--amplitudes"),
        lambda: options.whole_numbers("2,2.5", "--strides"),
        lambda: options.names("s4d,,s6"),
        lambda: options.assignments("n_pairs", "--options"),
        lambda: options.assignments("a=1,a=2", "--options"),
        lambda: options.thresholds("speed=3", {"horizon": "samples"}),
        lambda: options.thresholds("horizon=far", {"horizon": "samples"}),
        lambda: options.at_least_one(0, "--seeds"),
    ],
)
def test_values_outside_their_domain_are_refused(call):
    with pytest.raises(ConfigError):
        call()


def test_assignments_are_json_or_words():
    text = "n_pairs=16,form=scan,skip=false"
    assert options.assignments(text, "--options") == {"n_pairs": 16, "form": "scan", "skip": False}
    assert options.assignments(None, "--options") == {}
