import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.data import Dataset

RAMP = np.arange(8.0).reshape(4, 2)


def make(**changes):
    return Dataset(**{"name": "d", "sequences": (RAMP, RAMP[:3]), **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sequences": ()}, "no sequences"),
        ({"sequences": (RAMP, RAMP[:, :1])}, "sequence 1 of 'd' has other channels"),
        ({"sequences": (RAMP[:, :0],)}, "no channels"),
        ({"sequences": (RAMP[:1],)}, "too few samples"),
        ({"sequences": (RAMP.astype(np.float16),)}, "float64 or float32"),
        ({"sequences": (RAMP + np.inf,)}, "infinite value, got sample 0, channel 0"),
        ({"kind": "tokens"}, "tokens are whole numbers"),
        ({"dt": 0.0}, "dt > 0"),
        ({"labels": np.zeros(3)}, "labels do not fit"),
        ({"labels": np.array([0, 2]), "class_names": ("a", "b")}, "number its 2 classes"),
        ({"labels": np.array([np.nan, 0.0])}, "finite float64"),
        ({"labels": np.array([1, 0])}, "finite float64"),
        ({"channel_names": ("a",)}, "channel names do not fit"),
        ({"n_train": 3}, "no such training part"),
        ({"times": (np.arange(4.0),)}, "times do not fit"),
        ({"times": (np.arange(4.0), np.arange(4.0))}, "one time a sample"),
        ({"times": (np.arange(4.0), np.array([0.0, 1.0, 1.0]))}, "equal timestamps"),
        ({"times": (np.arange(4.0), np.array([0.0, 1.0, np.inf]))}, "infinite, got row 2"),
    ],
)
def test_parts_must_fit(changes, message):
    with pytest.raises(DataError, match=message):
        make(**changes)


def test_an_unknown_kind():
    # a TypeError where annotations are checked at run time
    with pytest.raises((DataError, TypeError), match="kind"):
        make(kind="other")


def test_a_token_outside_the_vocabulary():
    with pytest.raises(DataError, match="not in its vocabulary, got 2"):
        Dataset(name="t", sequences=(np.array([0, 2]),), kind="tokens", vocabulary=("a", "b"))


def test_stacked_is_padded_with_nan():
    padded, lengths = make().stacked()
    assert lengths.tolist() == [4, 3]
    np.testing.assert_array_equal(padded[0], RAMP)
    np.testing.assert_array_equal(padded[1, :3], RAMP[:3])
    assert np.isnan(padded[1, 3]).all()


def test_stacked_tokens_are_padded_with_minus_one():
    data = Dataset(name="t", sequences=(np.array([0, 2]), np.array([1, 1, 1])), kind="tokens")
    assert data.stacked()[0].tolist() == [[0, 2, -1], [1, 1, 1]]


def test_the_permuted_twin_moves_all_channels_and_sequences_alike():
    data = make(sequences=(RAMP, RAMP + 100), labels=np.array([0.5, 1.5]))
    twin = data.permuted()
    order = np.random.default_rng(0).permutation(4)
    np.testing.assert_array_equal(twin.sequences[0], RAMP[order])
    np.testing.assert_array_equal(twin.sequences[1], RAMP[order] + 100)
    assert (twin.name, twin.labels.tolist()) == ("d-permuted", [0.5, 1.5])
    assert "seed 0" in twin.notes[0]
    assert data.permuted(seed=1).sequences[0].tolist() != twin.sequences[0].tolist()


def test_no_permuted_twin_of_unequal_lengths_or_irregular_times():
    with pytest.raises(DataError, match="lengths 3 to 4"):
        make().permuted()
    with pytest.raises(DataError, match="irregular times"):
        make(sequences=(RAMP,), times=(np.array([0.0, 1.0, 2.0, 5.0]),)).permuted()


def test_one_line_says_what_it_is():
    assert repr(make(dt=0.5, unit="s")) == "d: 2 sequences x 2 channels, length 3 to 4, dt 0.5 s"


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (np.array([np.nan, 0.0]), "got NaN for sequence 0"),
        (np.array([[1.0, 2.0], [0.0, np.inf]]), "got infinity for sequence 1, output 1"),
    ],
)
def test_labels_that_are_no_numbers_are_named(labels, said):
    with pytest.raises(DataError, match=said) as found:
        Dataset(name="x", sequences=(np.zeros((3, 1)),) * 2, labels=labels)
    assert "leaving out the sequences" in str(found.value)
