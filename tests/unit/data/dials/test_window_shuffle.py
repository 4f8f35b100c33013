"""The dial on real sets: continuity falls with its dose, measured in one window for all."""

from itertools import pairwise

import numpy as np
import pytest

from timegrain.continuity import task_continuity
from timegrain.data import load_dataset
from timegrain.data.dials import window_shuffle
from timegrain.data.dials.order import shuffled_order
from timegrain.data.subset import take

WINDOW = 128
SETS = ("GunPoint", "OSULeaf", "PigCVP")
DOUBLED = (1, 2, 4, 8, 16, 32, 64, 128)


def continuities(data, doses, seed):
    turned = (window_shuffle(data, w, seed=seed) for w in doses)
    return [task_continuity(list(d.sequences), window=WINDOW).continuity for d in turned]


@pytest.mark.parametrize("name", SETS)
def test_continuity_falls_with_every_doubling_of_windows(name):
    data = load_dataset(name)
    data = take(data, np.arange(min(len(data), 40)))
    for seed in (0, 1, 2):
        found = continuities(data, DOUBLED, seed)
        assert all(np.diff(found) < 0), (seed, found)
        assert found[0] > 0.99 and found[-2] < 0.4, (seed, found)


@pytest.mark.parametrize("name", SETS)
def test_continuity_falls_on_whole_sets(name):
    data = load_dataset(name)
    data = take(data, np.arange(min(len(data), 200)))
    found = continuities(data, (1, 3, 6, 12, 24, 48), 3)
    assert all(np.diff(found) < 0), found


def rough(order):
    """What D(2) has above the line on a ramp: the mean square distance from neighbours' mean."""
    w = len(order)
    x = (np.arange(8)[:, None] * w + order).ravel().astype(float)
    return float(np.mean((x[1:-1] - (x[:-2] + x[2:]) / 2)[1::2] ** 2))


def test_permutations_of_few_samples_differ_in_roughness():
    # what a dial has to choose by: one drawn blindly may be gentler than swapped pairs
    gentle, pairs, harsh = map(rough, ([0, 1, 3, 2], [1, 0], [2, 0, 3, 1]))
    assert gentle < pairs < harsh


def test_roughness_of_what_is_chosen_grows_with_every_doubling():
    for seed in range(5):
        found = [rough(shuffled_order(w, seed)) for w in (2, 4, 8, 16, 32, 64, 128, 256)]
        assert found[0] == 4
        # windows twice as long: the variance in them, w^2 / 12, is fourfold in the end
        assert all(b > 1.5 * a for a, b in pairwise(found)), (seed, found)


@pytest.mark.parametrize("w", [2, 3, 4, 5, 7, 8, 100, 70_000])
def test_an_order_is_a_permutation_that_is_not_smooth(w):
    order = shuffled_order(w, 4)
    assert (np.sort(order) == np.arange(w)).all()
    assert (order == shuffled_order(w, 4)).all()
    if w > 2:
        assert (np.abs(np.diff(order)) != 1).any()


def test_another_seed_draws_another_order():
    assert len({tuple(shuffled_order(8, seed).tolist()) for seed in range(6)}) > 3
