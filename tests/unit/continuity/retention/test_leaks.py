"""Windows of one recording resemble each other, and no split may live on that."""

from dataclasses import replace

import numpy as np
import pytest

from timegrain.continuity import label_retention
from timegrain.data import make_windows
from timegrain.data.dataset import Dataset

POINTS = 0.10


def texture(random, n, keep):
    """Noise with a colour of its own, and a few tones."""
    x = np.convolve(random.normal(size=n + 15), random.normal(size=16) * keep, mode="valid")
    for f in random.uniform(0.1, 2.5, 3):
        x += 2 * np.sin(f * np.arange(n) + random.uniform(0, 6))
    return x / x.std()


@pytest.fixture(scope="module")
def people():
    """40 recordings, each with a texture of its own and a label from a coin."""
    random = np.random.default_rng(0)
    labels = random.permutation(np.arange(40) % 2)
    return Dataset(
        name="people",
        sequences=tuple(texture(random, 256, 1.0)[:, None] for _ in labels),
        labels=labels,
        class_names=("no", "yes"),
    )


@pytest.fixture(scope="module")
def drift():
    """One recording whose texture changes every 200 samples, and with it a label from a coin."""
    random = np.random.default_rng(1)
    labels = random.permutation(np.arange(40) % 2)
    x = np.concatenate([texture(random, 200, 1.0) for _ in labels])
    return Dataset(
        name="drift",
        sequences=(x[:, None],),
        targets=(np.repeat(labels, 200),),
        class_names=("no", "yes"),
    )


def naive(cut):
    """The same windows, no longer knowing where they are from."""
    return replace(cut, ids=(), groups=None, starts=None)


@pytest.mark.parametrize(("name", "split"), [("people", "recording"), ("drift", "time")])
def test_a_leak_through_overlapping_windows_is_worth_nothing(request, name, split):
    cut = make_windows(request.getfixturevalue(name), window=64, hop=32)
    leaking = label_retention(naive(cut), strides=[2], repeats=1, replicates=99)
    honest = label_retention(cut, strides=[2], repeats=1, replicates=99)
    assert (leaking.split, honest.split) == ("case", split)
    assert leaking.score > leaking.trivial_score + POINTS
    # Nothing: the mean over 40 independent coins has a standard error of .08; the probe may even
    # score below the commonest class, since the classes of the other side are the rarer ones.
    assert honest.score < honest.trivial_score + POINTS
    assert honest.outcome.name == "CANNOT_TELL"
