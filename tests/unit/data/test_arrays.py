"""What users call arrays of numbers."""

import warnings

import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.data.arrays import exact_floats, is_sequence_list, origin_note, real_array

X = np.arange(6.0)


@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "int8", "bool"])
def test_a_mask_is_missing(kind):
    x = np.ma.array(np.arange(6) % 2, mask=[0, 1, 0, 0, 0, 1]).astype(kind)
    found = real_array(x, name="x")
    np.testing.assert_array_equal(found, [0, np.nan, 0, 1, 0, np.nan])
    assert not isinstance(found, np.ma.MaskedArray)
    assert found.dtype == (kind if kind.startswith("float") else np.float64)


def test_a_mask_that_hides_nothing_changes_nothing():
    x = np.ma.array([1, 2, 3])
    assert real_array(x, name="x").dtype == x.dtype
    assert not isinstance(real_array(x, name="x"), np.ma.MaskedArray)


def test_masks_in_lists():
    rows = [np.ma.array([1.0, 2.0], mask=[True, False]), np.ma.array([3.0, 4.0])]
    np.testing.assert_array_equal(real_array(rows, name="x"), [[np.nan, 2.0], [3.0, 4.0]])
    cells = [1.0, np.ma.masked, 3.0]
    np.testing.assert_array_equal(real_array(cells, name="x"), [1.0, np.nan, 3.0])


def test_a_mask_beside_whole_numbers_that_a_float_cannot_hold():
    with pytest.raises(DataError, match="beyond 2\\^53 cannot stand beside missing"):
        real_array(np.ma.array([2**60, 1], mask=[False, True]), name="x")
    hidden = np.ma.array([2**60, 1], mask=[True, False])
    np.testing.assert_array_equal(real_array(hidden, name="x"), [np.nan, 1.0])


@pytest.mark.parametrize(
    "x",
    [
        X * 1j,
        np.ma.array(X * 1j, mask=X > 3),
        np.array(["a"]),
        np.array([None]),
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        np.zeros(3, dtype="V8"),
        [[1.0], [1.0, 2.0]],
        [2**63, -1],  # numpy reads it as floats
        [2**70, 1],
        {"a": 1},
        None,
    ],
)
def test_what_is_no_array_of_real_numbers(x):
    with pytest.raises(DataError):
        real_array(x, name="x")


def test_tensors_of_every_kind():
    torch = pytest.importorskip("torch")
    t = torch.tensor(X)
    for same in (t.clone().requires_grad_(), torch._neg_view(-t), t.bfloat16(), t.half()):
        np.testing.assert_array_equal(real_array(same, name="x"), X)
    np.testing.assert_array_equal(real_array(t.to(torch.float8_e4m3fn), name="x"), X)
    for other in (t.to("meta"), t.to_sparse(), torch.complex(t, t), torch.complex(t, t).conj()):
        with pytest.raises(DataError):
            real_array(other, name="x")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of the prototype once a process
        nested = torch.nested.nested_tensor([t, t[:2]])
    with pytest.raises(DataError, match="a list of tensors for a nested one"):
        real_array(nested, name="x")
    assert is_sequence_list([t, t]) and not is_sequence_list([t[0], t[1]])


def test_what_a_list_of_sequences_is():
    assert is_sequence_list([[1.0, [2.0]], [1.0]])
    assert is_sequence_list([None, X])
    assert not is_sequence_list([1, 2.0, None, "a"])
    assert not is_sequence_list(np.zeros((2, 3)))


@pytest.mark.parametrize(
    "start", [2**53 + 1, 2**60, -(2**60), -(2**63), 2**63 - 10, 2**63, 2**64 - 10]
)
def test_a_counter_counts_wherever_it_starts(start):
    dtype = np.uint64 if start >= 2**63 - 10 else np.int64
    counter = np.array([[start + k, -k if dtype is np.int64 else k] for k in range(9)], dtype=dtype)
    (first, second), origin = exact_floats([counter[:4], counter[4:]], name="x")
    assert origin == (start, 0)
    both = np.concatenate([first, second])
    assert both[:, 0].tolist() == list(range(9))
    assert np.abs(both[:, 1]).tolist() == list(range(9))
    assert str(start) in origin_note(origin)[0]


def test_whole_numbers_over_all_of_their_type_are_rounded_to_a_share_of_their_range():
    ends = np.array([[-(2**63)], [2**63 - 1]])
    (found,), origin = exact_floats([ends], name="x")
    assert (found[:, 0].tolist(), origin) == ([0.0, 2.0**64], (-(2**63),))


def test_small_whole_numbers_and_floats_stay_what_they_are():
    parts = [np.array([[2**53], [0]]), np.ones((2, 1), dtype=np.int8), np.ones((1, 1))]
    floats, origin = exact_floats(parts, name="x")
    assert origin == () and origin_note(origin) == ()
    assert [f.dtype for f in floats] == [np.float64] * 3
    same = np.ones((3, 1), dtype=np.float32)
    assert exact_floats([same], name="x")[0][0] is same


def test_large_whole_numbers_beside_floats():
    with pytest.raises(DataError, match="beside numbers of another type, got float64, int64"):
        exact_floats([np.array([[2**60]]), np.array([[0.5]])], name="x")
    floats, _ = exact_floats([np.array([[2**60]]), np.empty((0, 1))], name="x")
    assert floats[0].tolist() == [[0.0]]
