"""Data in which it is known what carries the label."""

import numpy as np
import pytest

from timegrain.data.dataset import Dataset


def labelled(name, x, y, **more):
    """Cases `(case, time)` or `(case, time, channel)` and numbers of classes."""
    x = x[..., None] if x.ndim == 2 else x
    names = tuple(str(c) for c in range(int(y.max()) + 1))
    return Dataset(name=name, sequences=tuple(x), labels=y, class_names=names, **more)


@pytest.fixture(scope="session")
def rhythm():
    """A rhythm of 3 or 5 Hz at 128 Hz, 2 s, at any phase."""
    random = np.random.default_rng(1)
    y = np.arange(120) % 2
    t = np.arange(256) / 128
    phase = random.uniform(0, 2 * np.pi, (120, 1))
    x = np.sin(2 * np.pi * (3 + 2 * y[:, None]) * t + phase)
    x += 0.1 * random.normal(size=x.shape)
    return labelled("rhythm", x, y, dt=1 / 128, unit="s")


@pytest.fixture(scope="session")
def burst():
    """A slow wave, on which half of 60 recordings of 12 s carry bursts of 40 Hz; 125 Hz."""
    random = np.random.default_rng(2)
    y = np.arange(60) % 2
    t = np.arange(1500) / 125
    slow = np.sin(2 * np.pi * random.uniform(0.3, 0.7, (60, 1)) * t + random.uniform(0, 6, (60, 1)))
    envelope = np.maximum(np.sin(2 * np.pi * 0.5 * t + random.uniform(0, 6, (60, 1))), 0) ** 4
    fast = np.sin(2 * np.pi * 40 * t + random.uniform(0, 6, (60, 1)))
    x = slow + 0.1 * y[:, None] * envelope * fast + 0.002 * random.normal(size=slow.shape)
    return labelled("burst", x, y, dt=1 / 125, unit="s")


@pytest.fixture(scope="session")
def order():
    """Every second of four symbols is free; the one behind it is the next one, or the last."""
    random = np.random.default_rng(3)
    y = np.arange(160) % 2
    free = random.integers(0, 4, (160, 32))
    behind = (free + np.where(y == 1, 1, -1)[:, None]) % 4
    tokens = np.stack([free, behind], axis=2).reshape(160, 64)
    return Dataset(
        name="order",
        sequences=tuple(tokens),
        labels=y,
        class_names=("before", "after"),
        vocabulary=("a", "b", "c", "d"),
        kind="tokens",
    )


@pytest.fixture(scope="session")
def nothing():
    """Noise, and labels that are no part of it."""
    random = np.random.default_rng(4)
    return labelled("nothing", random.normal(size=(120, 64)), np.arange(120) % 2)
