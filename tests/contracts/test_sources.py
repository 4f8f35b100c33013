"""Every registered source keeps the contract of a source, whoever wrote it."""

import pytest

from timegrain.data import check_source, describe_datasets
from timegrain.data.catalogue import card, datasets

# series without a label are cut, and what comes next is forecast
CUT = {
    "ecg": {"window": 360, "ahead": 1},
    "seattle-temps": {"window": 48, "ahead": 1},
    "stocks-level": {"window": 24, "ahead": 1},
    "stocks-return": {"window": 24, "ahead": 1},
    "weather": {"window": 48, "ahead": 1, "target": "Dry-bulb"},
}
# the whole library as indicators is larger than a machine's memory: there is no task to check
UNCUT = ("python-source",)
CASES = 6
# systems are solved step by step: what holds for these holds for longer ones
SHORT = {"length": 64}


@pytest.mark.parametrize("name", datasets.names())
def test_a_source_keeps_the_contract(name):
    about = card(name)
    if not about.installed:
        pytest.skip(f"{about.package or about.program} is not installed")
    short = SHORT if name.endswith(("-inference", "-forecast")) else {}
    found = check_source(name, cases=CASES, **CUT.get(name, {}), **short)
    assert found.failures == (), repr(found)
    if name not in UNCUT:
        assert {row.label: row.verdict for row in found.checks}["metric perfect"] == "passed"


def test_what_is_not_labelled_is_cut_here():
    unlabelled = {about.name for about in describe_datasets() if not about.label}
    assert unlabelled == {*CUT, *UNCUT}
