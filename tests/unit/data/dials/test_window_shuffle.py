"""The dial on real sets: continuity falls with its dose, measured in one window for all."""

import numpy as np
import pytest

from timegrain.continuity import task_continuity
from timegrain.data import load_dataset
from timegrain.data.dials import window_shuffle
from timegrain.data.subset import take

WINDOW = 128
SETS = ("GunPoint", "OSULeaf", "PigCVP")


def continuities(data, doses, seed):
    turned = (window_shuffle(data, w, seed=seed) for w in doses)
    return [task_continuity(list(d.sequences), window=WINDOW).continuity for d in turned]


@pytest.mark.parametrize("name", SETS)
def test_continuity_falls_as_windows_grow_fourfold(name):
    data = load_dataset(name)
    data = take(data, np.arange(min(len(data), 200)))
    for seed in (0, 1, 2):
        found = continuities(data, (1, 4, 16, 64), seed)
        assert all(np.diff(found) < 0), (seed, found)
        assert found[0] > 0.99 and found[-1] < 0.4, (seed, found)


def test_one_permutation_of_few_samples_may_be_gentler_than_one_of_half_as_many():
    # on a ramp nothing but the permutation is rough: (0, 1, 3, 2) is less so than swapped pairs
    def windows(order):
        return (np.arange(128 // len(order))[:, None] * len(order) + order).ravel().astype(float)

    pairs, gentle, harsh = (
        1 - task_continuity([windows(np.array(o))] * 2, window=WINDOW).continuity
        for o in ((1, 0), (0, 1, 3, 2), (2, 0, 3, 1))
    )
    assert gentle < pairs < harsh
