"""D(k) of shipped sets, TRAIN then TEST, whole length; figures to four digits."""

import numpy as np
import pytest

from timegrain.continuity.task.measure import task_continuity
from timegrain.data import load_dataset

STRIDES = (2, 4, 8, 16, 32, 64)

EXPECTED = {
    "OSULeaf": (4.245e-4, 1.289e-3, 5.752e-3, 3.106e-2, 1.620e-1, 5.084e-1),
    "ArrowHead": (3.336e-4, 6.042e-4, 2.082e-3, 1.081e-2, 6.454e-2, 2.426e-1),
    "GunPoint": (1.399e-3, 1.286e-3, 4.056e-3, 2.011e-2, 1.144e-1, 2.899e-1),
    "BasicMotions": (0.3987, 0.6373, 0.9931, 0.9696, 0.9190, 0.8269),
    "mnist-row": (9.590e-2, 2.631e-1, 4.944e-1, 7.280e-1, 8.675e-1, 8.564e-1),
}


def measure(name, **options):
    dataset = load_dataset(name)
    return task_continuity(list(dataset.sequences), replicates=99, **options)


@pytest.mark.parametrize("name", EXPECTED)
def test_shipped_sets(name):
    found = measure(name).discontinuity
    assert tuple(found) == STRIDES
    # half a unit of the fourth digit
    assert list(found.values()) == pytest.approx(list(EXPECTED[name]), rel=5.1e-4)


def test_permuted_mnist_is_as_rough_as_noise():
    r = measure("mnist-permuted")
    assert all(0.9 <= d <= 1.1 for k, d in r.discontinuity.items() if k <= 32)
    assert r.horizon == 1


def test_the_permuted_twin_is_one_fixed_permutation():
    plain, twin = load_dataset("mnist-row").sequences, load_dataset("mnist-permuted").sequences
    order = np.random.default_rng(0).permutation(784)
    assert all((a[order] == b).all() for a, b in zip(plain[:20], twin[:20], strict=True))


def test_integers_of_an_adc_are_read_as_sizes():
    (wave,) = load_dataset("ecg").sequences
    counts = np.rint((wave - wave.min()) / np.ptp(wave) * 4095).astype(np.int64)
    whole, real = task_continuity(counts[:, 0]), task_continuity(counts[:, 0].astype(np.float64))
    assert whole.discontinuity == real.discontinuity
    assert whole.kind_of_data == "real" and whole.horizon == real.horizon
    small = task_continuity(counts[:, 0].astype(np.int16))
    assert small.discontinuity == real.discontinuity


def test_one_window_makes_sets_comparable():
    r = measure("OSULeaf", window=128)
    assert (r.n_pieces, r.n_dropped) == (442 * 3, 442)
    # the variation inside 128 samples is smaller than over 427, so D is larger at every stride
    whole = measure("OSULeaf").discontinuity
    assert all(d > whole[k] for k, d in r.discontinuity.items())
