import pytest

from timegrain.cli import options
from timegrain.core.errors import ConfigError


@pytest.mark.parametrize(
    "call",
    [
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
