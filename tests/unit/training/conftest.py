"""Small tasks that can be learned in seconds, or in no time at all."""

import numpy as np
import pytest

from timegrain.data.dataset import Dataset
from timegrain.data.tasks import make_task


def small_task(*, classes=True, ragged=False, time=24, cases=48, noise=0.3, dt=0.01, seed=0):
    """The mean of each sequence tells its class, or is half its value; 2/3 to train."""
    random = np.random.default_rng(seed)
    sign = np.resize([1.0, -1.0], cases)
    level = sign if classes else random.normal(size=cases)
    lengths = random.integers(2, time + 1, cases) if ragged else np.full(cases, time)
    lengths[0] = time
    sequences = tuple(
        3.0 + a + noise * random.normal(size=(n, 1)) for a, n in zip(level, lengths, strict=True)
    )
    return make_task(
        Dataset(
            name="levels",
            sequences=sequences,
            labels=(sign > 0).astype(np.int64) if classes else 2 * level + 5,
            class_names=("low", "high") if classes else (),
            n_train=2 * cases // 3,
            channel_names=("level",),
            dt=dt,
            unit="s",
        )
    )


@pytest.fixture(scope="session")
def task():
    return small_task()


@pytest.fixture(scope="session")
def ragged():
    return small_task(ragged=True)


@pytest.fixture(scope="session")
def values():
    return small_task(classes=False, ragged=True, cases=150)


@pytest.fixture(scope="session")
def whole_values():
    return small_task(classes=False)
