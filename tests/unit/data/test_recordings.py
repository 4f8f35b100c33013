import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset

TWO = (np.zeros((3, 1)), np.zeros((4, 1)))


def test_what_is_known_of_recordings_is_kept():
    data = Dataset(
        name="x",
        sequences=TWO,
        ids=("a", "a"),
        groups=np.array([0, 0]),
        starts=np.array([0, 3]),
        class_names=("off", "on"),
        targets=(np.array([0, 1, 1]), np.array([1, 0, 0, 0])),
    )
    assert data.ids == ("a", "a") and data.starts.tolist() == [0, 3]


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ({"ids": ("a",)}, "names of recordings do not fit"),
        ({"groups": np.array([0])}, "groups do not fit"),
        ({"groups": np.array([0.0, 1.0])}, "must be numbers from 0"),
        ({"starts": np.array([0, -1])}, "must be numbers from 0"),
        ({"targets": (np.zeros(3),)}, "targets do not fit"),
        ({"targets": (np.zeros(3), np.zeros(3))}, "one target a sample"),
        ({"targets": (np.zeros(3, dtype=np.int64), np.zeros(4))}, "targets are"),
        ({"targets": (np.full(3, np.inf), np.zeros(4))}, "targets are"),
        (
            {"class_names": ("a",), "targets": (np.array([0, 1, 0]), np.zeros(4, dtype=np.int64))},
            "numbers below 1",
        ),
    ],
)
def test_what_does_not_fit_is_refused(more, match):
    with pytest.raises(DataError, match=match):
        Dataset(name="x", sequences=TWO, **more)
