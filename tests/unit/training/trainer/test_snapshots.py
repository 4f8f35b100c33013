import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from timegrain.core.errors import ResultError
from timegrain.training.trainer.snapshot_bytes import MARK, DamagedError, pack, unpack
from timegrain.training.trainer.snapshots import Snapshots
from timegrain.training.trainer.tree import join, split

STATE = {"step": 7, "weights": torch.arange(6.0).view(2, 3), "history": [{"score": 0.1 + 0.2}]}
BYTES = pack(STATE)


def equal(one, other):
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, dict):
        return list(one) == list(other) and all(equal(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        pairs = zip(one, other, strict=True)
        return type(one) is type(other) and all(equal(a, b) for a, b in pairs)
    return type(one) is type(other) and (one == other or (math.isnan(one) and math.isnan(other)))


LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(codec="utf-8"))
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.one_of(st.integers(), st.text(max_size=3)), inner, max_size=3),
    ),
    max_leaves=8,
)


@given(TREES)
def test_trees_come_back_as_they_were(tree):
    assert equal(unpack(pack({"tree": tree}))["tree"], tree)


@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool, torch.uint8]
)
@pytest.mark.parametrize("shape", [(), (0,), (3, 2)])
def test_tensors_come_back_as_they_were(dtype, shape):
    tensor = torch.ones(shape).to(dtype)
    shared = torch.randn(4)
    state = {"t": tensor, "turned": torch.randn(2, 3).T, "a": shared, "b": shared[:2]}
    assert equal(unpack(pack(state)), state)


def test_complex_tensors_come_back_as_they_were():
    state = {"c": torch.randn(3, dtype=torch.complex64)}
    assert equal(unpack(pack(state)), state)


def test_what_has_no_stored_form_is_named():
    with pytest.raises(ResultError, match="cannot be stored, got set"):
        split({"x": {1, 2}})
    assert join(*split({"$tensor": "mine"})) == {"$tensor": "mine"}


@given(st.integers(0, 8 * len(BYTES) - 1))
def test_a_flipped_bit_anywhere_is_seen(bit):
    content = bytearray(BYTES)
    content[bit // 8] ^= 1 << bit % 8
    with pytest.raises(DamagedError):
        unpack(bytes(content))


@pytest.mark.parametrize("part", ["mark", "checksum", "length", "json", "tensors"])
def test_a_flipped_bit_makes_the_snapshot_before_it_count(part, tmp_path):
    snapshots = Snapshots(tmp_path)
    for step in range(3):
        snapshots.save(STATE | {"step": step})
    place = {"mark": 3, "checksum": len(MARK) + 5, "length": len(MARK) + 33, "json": 90}
    newest = snapshots.files()[-1]
    content = bytearray(newest.read_bytes())
    content[place.get(part, len(content) - 3)] ^= 4
    newest.write_bytes(content)
    found = Snapshots(tmp_path).latest()
    assert found.state["step"] == 1
    assert found.notes == (
        f"The snapshot {newest.name} is damaged (bytes that do not fit their checksum) and was "
        "passed over.",
    )


@given(st.integers(0, len(BYTES) - 1))
def test_a_file_that_ends_too_early_is_seen(length):
    with pytest.raises(DamagedError):
        unpack(BYTES[:length])


def test_bytes_behind_the_end_are_seen():
    with pytest.raises(DamagedError):
        unpack(BYTES + b"\0")


def test_another_format_is_no_damage():
    import hashlib

    mark, body = MARK.replace(b"1", b"2"), BYTES[len(MARK) + 32 :]
    with pytest.raises(ResultError, match="another version") as caught:
        unpack(mark + hashlib.sha256(mark + body).digest() + body)
    assert not isinstance(caught.value, DamagedError)


def test_an_empty_directory_has_no_snapshot(tmp_path):
    (tmp_path / ".snapshot-00000001.state.ab").write_bytes(b"half")
    (tmp_path / "notes.txt").write_text("mine")
    assert Snapshots(tmp_path).latest() is None
    assert Snapshots(tmp_path / "none").latest() is None


def test_a_damaged_one_does_not_count_among_those_to_keep(tmp_path):
    first = Snapshots(tmp_path)
    for step in range(2):
        first.save({"step": step})
    first.files()[-1].write_bytes(b"")
    again = Snapshots(tmp_path)
    assert again.latest().state == {"step": 0}
    again.save({"step": 1})
    # the whole one it went on from is still there, in case the new one is damaged too
    again.files()[-1].write_bytes(b"")
    assert Snapshots(tmp_path).latest().state == {"step": 0}


def test_only_its_own_files_are_removed(tmp_path):
    mine = tmp_path / "snapshot-1.state"
    mine.write_text("mine")
    snapshots = Snapshots(tmp_path, keep=1)
    for step in range(3):
        snapshots.save({"step": step})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["snapshot-00000003.state", mine.name]
