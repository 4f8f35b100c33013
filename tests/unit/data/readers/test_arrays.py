import io
import pickle
import zipfile

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError, LayoutError
from timegrain.data import load_dataset, load_task

X = np.arange(24.0).reshape(2, 4, 3)


def save(folder, array, name="a.npy"):
    np.save(folder / name, array)
    return folder / name


class Explosive:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


@pytest.mark.parametrize(
    ("layout", "array"),
    [
        (None, X),
        ("btc", X),
        ("bct", X.transpose(0, 2, 1)),
        ("tbc", X.transpose(1, 0, 2)),
        ("BTC", X),
    ],
)
def test_axes_are_named(layout, array, tmp_path):
    data = load_dataset(save(tmp_path, array), layout=layout)
    np.testing.assert_array_equal(data.stacked()[0], X)


def test_fewer_axes(tmp_path):
    flat = X[:, :, 0]
    as_rows = load_dataset(save(tmp_path, flat))
    np.testing.assert_array_equal(as_rows.stacked()[0], flat[:, :, None])
    assert as_rows.notes == ("read as 2 series of 4 samples",)
    columns = load_dataset(save(tmp_path, flat), layout="tc")
    np.testing.assert_array_equal(columns.stacked()[0], flat[None])
    series = load_dataset(save(tmp_path, flat[0]))
    np.testing.assert_array_equal(series.stacked()[0], flat[:1, :, None])


@pytest.mark.parametrize(
    ("shape", "layout", "note"),
    [
        ((600, 3), None, "read as 600 series of 3 samples; layout='tc' would read one series of"),
        ((600, 30), None, "read as 600 series of 30 samples; layout='tc'"),
        ((5, 3, 40), None, "in 40 channels; if the last axis is time: layout='bct'"),
        ((600, 3), "bt", None),
        ((5, 40, 3), None, None),
    ],
)
def test_axes_that_may_be_meant_otherwise_are_noted_never_switched(shape, layout, note, tmp_path):
    data = load_dataset(save(tmp_path, np.zeros(shape)), layout=layout)
    assert len(data) == shape[0]
    assert (note is None and not data.notes) or note in data.notes[0]


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("tc", r"does not fit a.npy, got 3 axes"),
        ("btx", r"names each axis once"),
        ("bbt", r"names each axis once"),
        ("bc", r"time among them"),
        ("", r"time among them"),
    ],
)
def test_layouts_that_do_not_fit(layout, message, tmp_path):
    with pytest.raises(LayoutError, match=message):
        load_dataset(save(tmp_path, X), layout=layout)


def test_the_size_of_an_axis_never_decides(tmp_path):
    wide = np.zeros((2, 3, 5000))
    assert load_dataset(save(tmp_path, wide)).sequences[0].shape == (3, 5000)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_file_of_floats_stays_on_disk(tmp_path, dtype):
    owner = load_dataset(save(tmp_path, X.astype(dtype))).sequences[0]
    assert owner.dtype == dtype
    while isinstance(owner, np.ndarray) and not isinstance(owner, np.memmap):
        owner = owner.base
    assert isinstance(owner, np.memmap)


def test_other_numbers_become_float64(tmp_path):
    for dtype in ("int16", "float16", ">f8", ">f4", "uint8"):
        data = load_dataset(save(tmp_path, X.astype(dtype)))
        assert data.sequences[0].dtype == np.float64
        np.testing.assert_array_equal(data.stacked()[0], X)


@pytest.mark.parametrize("dtype", ["U3", "complex128", "bool", "datetime64[s]"])
def test_what_is_no_number_is_refused(dtype, tmp_path):
    with pytest.raises(DataError, match="holds no real numbers"):
        load_dataset(save(tmp_path, np.zeros((2, 3), dtype=dtype)))


@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_no_numbers_at_all(shape, tmp_path):
    with pytest.raises(DataError, match="is empty"):
        load_dataset(save(tmp_path, np.zeros(shape)))


def test_one_sample_a_sequence(tmp_path):
    with pytest.raises(DataError, match="too few samples"):
        load_dataset(save(tmp_path, np.zeros((5, 1, 3))))


def test_a_single_number(tmp_path):
    with pytest.raises(LayoutError, match="a single number"):
        load_dataset(save(tmp_path, np.float64(3)))


def test_objects_are_never_unpickled(tmp_path):
    array = np.array([Explosive()], dtype=object)
    np.save(tmp_path / "o.npy", array, allow_pickle=True)
    np.savez(tmp_path / "o.npz", x=array)
    (tmp_path / "p.npz").write_bytes(pickle.dumps(Explosive()))
    (tmp_path / "p.npy").write_bytes(pickle.dumps(Explosive()))
    for name, message in (
        ("o.npy", "never unpickled"),
        ("o.npz", "never unpickled"),
        ("p.npz", "a pickle under that name is refused"),
        ("p.npy", "no numpy array"),
    ):
        with pytest.raises(DataError, match=message):
            load_dataset(tmp_path / name)


def test_a_pickled_neighbour_in_an_npz_is_left_alone(tmp_path):
    np.savez(tmp_path / "o.npz", x=X, meta=np.array([Explosive()], dtype=object))
    assert len(load_dataset(tmp_path / "o.npz")) == 2


def test_truncated_arrays(tmp_path):
    whole = save(tmp_path, X).read_bytes()
    np.savez(tmp_path / "a.npz", x=X)
    archive = (tmp_path / "a.npz").read_bytes()
    for end in (1, 7, 9, 60, len(whole) - 1):
        (tmp_path / "cut.npy").write_bytes(whole[:end])
        with pytest.raises(DataError, match=r"truncated|damaged"):
            load_dataset(tmp_path / "cut.npy")
    for end in (1, 100, len(archive) - 1):
        (tmp_path / "cut.npz").write_bytes(archive[:end])
        with pytest.raises(DataError, match="damaged"):
            load_dataset(tmp_path / "cut.npz")


def test_a_flipped_byte_in_an_npz(tmp_path):
    np.savez(tmp_path / "a.npz", x=X)
    archive = bytearray((tmp_path / "a.npz").read_bytes())
    at = archive.index(X.tobytes()[8:16])
    archive[at] ^= 1
    (tmp_path / "a.npz").write_bytes(archive)
    with pytest.raises(DataError, match="damaged"):
        load_dataset(tmp_path / "a.npz")


def test_which_array_of_an_npz(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, only=X)
    assert load_dataset(path).sequences[0].shape == (4, 3)
    np.savez(path, other=X[:, :2], x=X)
    assert load_dataset(path).sequences[0].shape == (4, 3)
    assert load_dataset(path, key="other").sequences[0].shape == (2, 3)
    np.savez(path, one=X, two=X)
    with pytest.raises(DataError, match=r"(?s)has 2 arrays, got one, two.*Try key='one'"):
        load_dataset(path)
    with pytest.raises(DataError, match=r"(?s)no array 'tow', expected one of one, two.*'two'"):
        load_dataset(path, key="tow")


def test_groups_of_an_npz_stay_on_one_side(tmp_path):
    path, who = tmp_path / "a.npz", np.resize(["ann", "bo", "cy", "di", "ed"], 20)
    x = np.random.default_rng(0).normal(size=(20, 4, 1))
    np.savez(path, x=x, y=np.resize([0, 1], 20), who=who, age=np.arange(20.0))
    data = load_dataset(path, target="y", group="who")
    assert data.groups.tolist() == np.resize(range(5), 20).tolist()
    task = load_task(path, target="y", group="who", hz=1)
    assert not set(who[task.train.index]) & set(who[task.test.index])
    for wrong, message in (
        ("age", r"a.npz\['age'\] holds no groups, got shape \(20,\), dtype float64"),
        ("x", "holds no groups"),
        ("whom", r"no array 'whom'[\s\S]*group='who'"),
    ):
        with pytest.raises(DataError, match=message):
            load_dataset(path, key="x", target="y", group=wrong)
    np.savez(path, x=x, y=np.resize([0, 1], 20), who=who[:7])
    with pytest.raises(DataError, match="groups"):
        load_dataset(path, target="y", group="who")


def test_arrays_without_a_use_are_named(tmp_path):
    path = tmp_path / "a.npz"
    x = np.zeros((2, 20, 1))
    more = {"age": np.arange(20.0), "who": np.arange(20)}
    np.savez(path, x=x.swapaxes(0, 1), y=np.arange(20) % 2, **more)
    note = "not used: the arrays age, who of 'a.npz'"
    hint = "; group='who' would keep those of one value on one side of a split"
    assert load_dataset(path, target="y").notes[-1] == note + hint
    grouped = load_dataset(path, target="y", group="who")
    assert grouped.notes[-1] == "not used: the array age of 'a.npz'"
    np.savez(path, x=x, y=np.arange(20) % 2, **more)
    assert load_dataset(path, target="y", layout="tbc").notes == (note + hint,)
    np.savez(path, x=x)
    assert not any("not used" in note for note in load_dataset(path).notes)


def test_labels_of_an_npz(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, x=X, words=np.array(["no", "go"]), numbers=np.array([7, 3]), floats=[0.5, 2.0])
    words = load_dataset(path, target="words")
    assert (words.labels.tolist(), words.class_names) == ([1, 0], ("go", "no"))
    numbers = load_dataset(path, target="numbers")
    assert (numbers.labels.tolist(), numbers.class_names) == ([1, 0], ("3", "7"))
    assert load_dataset(path, target="floats").labels.tolist() == [0.5, 2.0]
    with pytest.raises(DataError, match="no list of labels"):
        load_dataset(path, key="x", target="x")


def test_tokens_are_integers_without_channels(tmp_path):
    data = load_dataset(save(tmp_path, np.array([[1, 0, 2], [2, 2, 0]])), kind="tokens")
    assert [s.tolist() for s in data.sequences] == [[1, 0, 2], [2, 2, 0]]
    with pytest.raises(DataError, match="whole numbers"):
        load_dataset(save(tmp_path, np.zeros((2, 3))), kind="tokens")
    with pytest.raises(LayoutError, match="no channels"):
        load_dataset(save(tmp_path, X.astype(int)), kind="tokens")
    with pytest.raises(DataError, match="numbered from 0"):
        load_dataset(save(tmp_path, np.array([-1, 0])), kind="tokens")


def test_options_without_use(tmp_path):
    for option in ("key", "target", "time", "delimiter"):
        with pytest.raises(ConfigError, match=f"{option}= has no use"):
            load_dataset(save(tmp_path, X), **{option: "x"})


def header(shape, dtype="<f8"):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": dtype, "fortran_order": False, "shape": shape}
    )
    return file.getvalue()


SHAPES = [
    (3, -20, 2),
    (-3, -200, 2),
    (True, 2, 2),
    (2**40, 2**40),
    (2**32, 2**32),
    (2**63 - 1,),
    (2**70,),
    (0, 2**62),
    (1,) * 70,
]


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_that_no_array_has(shape, tmp_path):
    (tmp_path / "a.npy").write_bytes(header(shape) + bytes(100))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", header(shape) + bytes(100))
    for name in ("a.npy", "a.npz"):
        with pytest.raises(DataError, match=r"holds no numpy array, or a damaged one, got shape"):
            load_dataset(tmp_path / name)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"False", b"Fals("),
        (b"(2, 4, 3), }", b"(1<<2,), }  "),
        (b"(2, 4, 3)", b"(9**9**9)"),
        (b"(2, 4, 3)", b"(2, 4, 3]"),
        (b"(2, 4, 3)", b"(2,4.0,3)"),
        (b"'<f8'", b"'<f9'"),
        (b"'<f8'", b"'<U0'"),
        (b"NUMPY\x01", b"NUMPY\x09"),
        (b"NUMPY\x01", b"NUMPY\x03"),
    ],
)
def test_headers_that_say_nothing(old, new, tmp_path):
    whole = save(tmp_path, X).read_bytes()
    assert old in whole
    (tmp_path / "bad.npy").write_bytes(whole.replace(old, new))
    with pytest.raises(DataError, match=r"bad.npy holds no numpy array, or a damaged one, got "):
        load_dataset(tmp_path / "bad.npy")


METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]


def zipped(folder, content, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(folder / "a.npz", "w", method) as archive:
        archive.writestr("x.npy", content)
    return bytearray((folder / "a.npz").read_bytes())


@pytest.mark.parametrize("method", METHODS)
def test_a_member_smaller_than_its_array_is_refused_before_it_is_allocated(method, tmp_path):
    whole = save(tmp_path, X).read_bytes()
    # 2^40 numbers are 8 TiB
    for content in (whole[:-50], whole[:130], header((2**33,)), header((2**40,))):
        zipped(tmp_path, content, method)
        with pytest.raises(DataError, match=r"a.npz\['x'\] is truncated, or damaged, got"):
            load_dataset(tmp_path / "a.npz")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("at", [45, 60, 100])
def test_a_damaged_member(method, at, tmp_path):
    whole = save(tmp_path, np.random.default_rng(0).normal(size=(3, 50))).read_bytes()
    archive = zipped(tmp_path, whole, method)
    assert len(load_dataset(tmp_path / "a.npz")) == 3
    archive[at] ^= 255
    (tmp_path / "a.npz").write_bytes(archive)
    with pytest.raises(DataError, match="damaged"):
        load_dataset(tmp_path / "a.npz")


def test_the_size_an_archive_claims_is_not_believed(tmp_path):
    archive = zipped(tmp_path, header((2**27,)), zipfile.ZIP_DEFLATED)
    entry = archive.index(b"PK\1\2")
    archive[22:26] = archive[entry + 24 : entry + 28] = b"\xff\xff\xff\x7f"
    (tmp_path / "a.npz").write_bytes(archive)
    with pytest.raises(DataError, match="truncated, or damaged"):
        load_dataset(tmp_path / "a.npz")


def test_an_array_larger_than_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("timegrain.data.memory._physical_memory", lambda: 100)
    zipped(tmp_path, save(tmp_path, X).read_bytes())
    with pytest.raises(DataError, match=r"does not fit into memory, got 320 bytes, expected 100"):
        load_dataset(tmp_path / "a.npz")


@pytest.mark.parametrize(("flag", "method", "message"), [(1, 0, "encrypted"), (0, 99, "method 99")])
def test_members_that_cannot_be_opened(flag, method, message, tmp_path):
    archive = zipped(tmp_path, save(tmp_path, X).read_bytes())
    entry = archive.index(b"PK\1\2")
    archive[6] = archive[entry + 8] = flag
    archive[8] = archive[entry + 10] = method
    (tmp_path / "a.npz").write_bytes(archive)
    with pytest.raises(DataError, match=message):
        load_dataset(tmp_path / "a.npz")


@pytest.mark.parametrize("start", [np.int64(2**60), np.int64(-(2**62)), np.uint64(2**63)])
def test_whole_numbers_beyond_2_to_53_keep_their_differences(start, tmp_path):
    rows = np.arange(6).reshape(2, 3).astype(start.dtype)
    data = load_dataset(save(tmp_path, start + rows))
    np.testing.assert_array_equal(data.stacked()[0][:, :, 0], rows)
    assert f"the differences between them: {start}" in data.notes[-1]
    with pytest.raises(DataError, match=r"no token is so large|numbered from 0"):
        load_dataset(save(tmp_path, np.array([2**63, 0], dtype=np.uint64)), kind="tokens")


def test_a_layout_of_another_length_suggests_one_that_fits(tmp_path):
    with pytest.raises(LayoutError, match="Try a layout of 2 letters, such as bt or tc"):
        load_dataset(save(tmp_path, X[0]), layout="btc")
    with pytest.raises(LayoutError, match="Try an array of 1 to 3 axes"):
        load_dataset(save(tmp_path, X[None]), layout="btc")
