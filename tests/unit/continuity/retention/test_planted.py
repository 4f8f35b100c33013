"""The stride that a label survives is found where it was planted."""

import pytest

import timegrain as tg
from timegrain.core.outcome import Outcome


def test_a_slow_rhythm_survives_a_low_rate(rhythm):
    found = tg.label_retention(rhythm, strides=(2, 4, 8, 16, 32), replicates=199)
    # at 16 Hz both rhythms are told apart; at 8 Hz 5 Hz looks like 3 Hz
    assert found.coarsest == 8
    assert found.at(16).retention_high < 0.5
    assert found.outcome is Outcome.MEASURED


def test_a_fast_burst_needs_the_rate_though_the_signal_is_smooth(burst):
    smooth = tg.dataset_continuity(burst, strides=(2, 4))
    assert smooth.continuity > 0.99
    found = tg.label_retention(burst, strides=(2, 4), decimator="fir", replicates=199)
    assert found.coarsest == 1
    assert found.score > 0.9
    # what stands above the new band of 31 Hz is gone
    assert found.at(2).retention_high < 0.5
    # dropping samples folds 40 Hz down to where it still tells: the two ways of thinning differ
    folded = tg.label_retention(burst, strides=(2,), replicates=199)
    assert folded.at(2).retention > 0.9


def test_an_order_of_symbols_does_not_survive_the_second(order):
    found = tg.label_retention(order, strides=(2, 4), replicates=199)
    assert found.score > 0.95
    assert found.coarsest == 1
    for stride in (2, 4):
        assert found.at(stride).retention_low < 0 < found.at(stride).retention_high < 0.4


def test_nothing_is_not_divided_by(nothing):
    found = tg.label_retention(nothing, strides=(2, 4), replicates=199)
    assert found.outcome is Outcome.CANNOT_TELL
    assert found.coarsest == 1
    assert all(row.retention is None and row.reason for row in found.profile)
    assert "below 0.1" in found.reasons["retention"]


@pytest.mark.slow
def test_real_labels():
    leaves = tg.label_retention(tg.load_dataset("OSULeaf"), strides=(2, 8, 64), replicates=199)
    # MiniRocket scores .94 on the published test part, from fewer training cases
    assert leaves.score > 0.92
    kept = [leaves.at(k).retention for k in (2, 8, 64)]
    assert kept[0] > 0.95 > kept[1] > 0.75 > kept[2] > 0.2
    assert leaves.at(2).retention_low < kept[0] < leaves.at(2).retention_high


@pytest.mark.slow
def test_a_rough_scan_still_tells_the_digit():
    digits = tg.load_dataset("mnist-permuted")
    rough = tg.dataset_continuity(digits, strides=(2, 4))
    assert rough.continuity < 0.1
    found = tg.label_retention(digits, strides=(4,), max_cases=600, repeats=1, replicates=199)
    assert found.at(4).retention > 0.8
