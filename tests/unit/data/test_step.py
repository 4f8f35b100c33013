"""A step is a number with its unit, a text that holds both, or a rate."""

import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.data import load_dataset, load_datasets, load_task
from timegrain.data.step import given_step


@pytest.mark.parametrize(
    ("dt", "hz", "expected"),
    [
        ("2ms", None, (2.0, "ms")),
        (" 0.5 s ", None, (0.5, "s")),
        ("1min", None, (1.0, "min")),
        ("1e3us", None, (1000.0, "us")),
        ("3", None, (3.0, "s")),
        (None, 100.0, (0.01, "s")),
        (None, None, (None, None)),
        (2.0, None, (2.0, None)),
    ],
)
def test_steps(dt, hz, expected):
    assert given_step(dt, None, hz) == expected


@pytest.mark.parametrize(
    ("dt", "unit", "hz"),
    [
        ("2ms", None, 500.0),
        (2.0, None, 500.0),
        (None, "s", 500.0),
        ("2ms", "s", None),
        ("fast", None, None),
        ("-2ms", None, None),
        ("0s", None, None),
        ("nan", None, None),
        ("1.2.3s", None, None),
        (None, None, 0.0),
        (None, None, "fast"),
        (None, None, True),
    ],
)
def test_contradictions_and_what_is_no_step(dt, unit, hz):
    with pytest.raises(ConfigError):
        given_step(dt, unit, hz)


def test_a_word_for_a_unit_is_answered_with_the_unit():
    with pytest.raises(ConfigError, match=r"dt='90min'"):
        given_step("90m", None, None)


def test_every_loader_takes_them(tmp_path):
    path = tmp_path / "x.npz"
    r = np.random.default_rng(0)
    np.savez(path, x=r.normal(size=(20, 16)), y=np.arange(20) % 2)
    assert load_dataset(path, hz=50, key="x").dt == 0.02
    assert load_dataset(path, dt="20ms", key="x").unit == "ms"
    (one,) = load_datasets(path, hz=50.0, key="x")
    assert one.unit == "s"
    assert load_task(path, hz=50, target="y", key="x").dt == 0.02
    with pytest.raises(ConfigError, match="given twice"):
        load_dataset(path, hz=50, dt="20ms", key="x")
