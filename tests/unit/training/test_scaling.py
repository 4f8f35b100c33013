"""The stored scaling of data of any size is that of the task."""

import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.tasks import make_task
from timegrain.training.scaling import input_scaling


def two_classes(factor, *, constant=False):
    x = np.random.default_rng(0).normal(size=(20, 30, 2)).clip(-4, 4)
    if constant:
        x[..., 1] = 0.7
    return Dataset(
        name="x",
        sequences=tuple(x * factor),
        labels=np.resize([0, 1], 20),
        class_names=("a", "b"),
    )


@pytest.mark.parametrize("factor", [1e250, 1e-250, 3e307, 1e-300])
@pytest.mark.parametrize("lazy", [False, True])
def test_raw_values_scaled_as_stored_are_those_of_the_task(factor, lazy):
    data = two_classes(factor)
    task = make_task(data, lazy=lazy)
    stored = input_scaling(task)
    raw = np.stack([data.sequences[i] for i in task.test.index])
    scaled = ((raw - stored.center) / stored.scale).astype(np.float32)
    assert np.array_equal(scaled, np.asarray(task.test.x))
    assert scaled.std() == pytest.approx(1, abs=0.2)  # 240 normal numbers, times two channels
    one = input_scaling(make_task(two_classes(1.0)))
    # three roundings of a power of ten that is no power of two
    assert np.array(stored.scale) / factor == pytest.approx(one.scale, rel=1e-12)


@pytest.mark.parametrize("factor", [1.0, 1e250, 1e-250])
def test_a_constant_channel_keeps_its_unit(factor):
    stored = input_scaling(make_task(two_classes(factor, constant=True)))
    assert stored.center[1] == 0.7 * factor
    assert stored.scale[1] == 1.0


@pytest.mark.parametrize("lazy", [False, True])
def test_less_variation_than_numbers_tell_apart_is_refused(lazy):
    with pytest.raises(DataError, match=r"(?s)'0' of 'x' varies too little.*another unit"):
        make_task(two_classes(1e-315), lazy=lazy)
