import sys
from pathlib import Path

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError, UnknownNameError
from timegrain.data import Dataset, load_dataset

X = np.arange(12.0).reshape(2, 6)


@pytest.fixture
def user_module(tmp_path, monkeypatch):
    def write(body: str) -> None:
        (tmp_path / "my_source.py").write_text("import numpy as np\n" + body)

    monkeypatch.syspath_prepend(tmp_path)
    yield write
    sys.modules.pop("my_source", None)


def test_unknown_names_suggest_the_nearest(in_empty_folder):
    with pytest.raises(UnknownNameError, match=r"(?s)no dataset or file called 'osuleaf'.*OSULeaf"):
        load_dataset("osuleaf")
    with pytest.raises(UnknownNameError, match="GunPoint-permuted"):
        load_dataset("GunPiont-permuted")
    for word in ("osuleaf", "zzzzz"):
        with pytest.raises(UnknownNameError, match="timegrain ls for all names") as caught:
            load_dataset(word)
        assert len(str(caught.value)) < 200


@pytest.mark.parametrize("layout", ["imdb", "cifar10", "ucr", "speech-commands-10"])
def test_a_set_that_a_folder_holds_asks_for_it(in_empty_folder, layout):
    with pytest.raises(UnknownNameError, match=f"{layout} is read from a folder.*{layout}:FOLDER"):
        load_dataset(layout)


def test_what_is_written_as_a_path_is_a_missing_file(in_empty_folder):
    (in_empty_folder / "data.csv").write_text("1,2\n3,4\n")
    with pytest.raises(DataError, match=r"(?s)no file 'dta.csv'.*Try data.csv"):
        load_dataset("dta.csv")
    with pytest.raises(DataError, match="no file 'there/GunPoint'"):
        load_dataset("there/GunPoint")


def test_a_name_that_is_also_a_path_is_ambiguous(in_empty_folder):
    np.save("x.npy", X)
    Path("x.npy").rename("GunPoint")
    with pytest.raises(ConfigError, match=r"(?s)'GunPoint' is ambiguous.*Try ./GunPoint"):
        load_dataset("GunPoint")
    with pytest.raises(DataError, match="no extension"):
        load_dataset("./GunPoint")
    with pytest.raises(DataError, match="no extension"):
        load_dataset(Path("GunPoint"))


def test_files_that_cannot_be_data(in_empty_folder):
    Path("empty.npy").touch()
    Path("folder").mkdir()
    (Path("folder") / "a.csv").write_text("1\n")
    Path("a.xlsx").write_text("1")
    for name, message in (
        ("empty.npy", "is empty"),
        ("folder", r"(?s)is a directory.*a.csv"),
        ("a.xlsx", r"no reader for 'a.xlsx', got extension '.xlsx', expected .csv"),
    ):
        with pytest.raises(DataError, match=message):
            load_dataset(name)
    with pytest.raises(ConfigError, match="empty name"):
        load_dataset(" ")


def test_a_function_may_return_a_dataset_an_array_or_a_list(user_module):
    user_module(
        "from timegrain.data import Dataset\n"
        "def whole():\n"
        "    return Dataset(name='mine', sequences=(np.zeros((3, 1)),), dt=0.5, unit='s')\n"
        "def array(): return np.zeros((2, 6))\n"
        "def ragged(): return [np.zeros(3), np.ones((4, 1))]\n"
        "def text(): return 'hello'\n"
        "number = 3\n"
    )
    whole = load_dataset("my_source:whole")
    assert (whole.name, whole.dt, whole.unit) == ("mine", 0.5, "s")
    assert load_dataset("my_source:array").lengths.tolist() == [6, 6]
    assert load_dataset("my_source:array", layout="tc").lengths.tolist() == [2]
    assert load_dataset("my_source:ragged").lengths.tolist() == [3, 4]
    with pytest.raises(DataError, match="is no dataset, got str"):
        load_dataset("my_source:text")
    with pytest.raises(ConfigError, match=r"(?s)no attribute 'arrays'.*Try array"):
        load_dataset("my_source:arrays")
    with pytest.raises(DataError, match="number is not a function"):
        load_dataset("my_source:number")
    with pytest.raises(ConfigError, match="whose layout is known"):
        load_dataset("my_source:whole", layout="bt")
    with pytest.raises(ConfigError, match="cannot import 'no_such_module'"):
        load_dataset("no_such_module:f")


def test_a_function_may_return_what_numpy_can_read(user_module):
    user_module(
        "import torch\n"
        "def tensor(): return torch.ones((2, 6), requires_grad=True)\n"
        "def tensors(): return [torch.ones(3, requires_grad=True), torch.ones((4, 1))]\n"
        "def masked(): return np.ma.array(np.ones((2, 6)), mask=np.eye(2, 6))\n"
        "def numbers(): return [1.0, 2.0, 4.0]\n"
        "def counts(): return [2**60 + np.arange(3), 2**60 + 7 + np.arange(4)]\n"
        "def widths(): return [np.ones((3, 1), int), 2**60 + np.ones((3, 2), int)]\n"
        "def nothing(): return []\n"
        "def mixed(): return [np.array(2**60 + np.arange(3)), np.ones(3)]\n"
    )
    assert load_dataset("my_source:tensor").lengths.tolist() == [6, 6]
    assert load_dataset("my_source:tensors").lengths.tolist() == [3, 4]
    masked = load_dataset("my_source:masked").stacked()[0]
    np.testing.assert_array_equal(np.isnan(masked[:, :, 0]), np.eye(2, 6))
    assert load_dataset("my_source:numbers").sequences[0].tolist() == [[1.0], [2.0], [4.0]]
    counts = load_dataset("my_source:counts")
    assert counts.sequences[1][:, 0].tolist() == [7.0, 8.0, 9.0, 10.0]
    assert f"{2**60}" in counts.notes[0]
    with pytest.raises(DataError, match="other channels than sequence 0"):
        load_dataset("my_source:widths")
    with pytest.raises(DataError, match="is no dataset, got list"):
        load_dataset("my_source:nothing")
    with pytest.raises(DataError, match="cannot stand beside numbers of another type"):
        load_dataset("my_source:mixed")


@pytest.mark.parametrize("name", [5, None, b"a.csv", ["a.csv"], 2.5])
def test_what_is_no_name(name):
    with pytest.raises(ConfigError, match="a dataset goes by a name or a path"):
        load_dataset(name)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"dt": "1px"}, ConfigError, "a positive time, got '1px'"),
        ({"dt": True}, ConfigError, "a step is a number"),
        ({"dt": 1.0, "unit": 5}, ConfigError, "a unit is a word, got 5"),
        ({"dt": 1.0, "unit": " "}, ConfigError, "a unit is a word"),
        ({"dt": 5e-324}, DataError, "too short for a float64"),
        ({"layout": 5}, ConfigError, "layout= takes a word, got 5"),
        ({"layout": ["b", "t"]}, ConfigError, "layout= takes a word"),
        ({"time": 5}, ConfigError, "time= takes a word"),
        ({"delimiter": 5}, ConfigError, "delimiter= takes a word"),
        ({"kind": "foo"}, DataError, "unknown kind of data"),
    ],
)
def test_options_of_other_types(options, error, message, tmp_path):
    np.save(tmp_path / "x.npy", X)
    with pytest.raises(error, match=message):
        load_dataset(tmp_path / "x.npy", **options)


@pytest.mark.parametrize("name", ["a" * 5000 + ".csv", "a/" * 3000 + "x.csv", "b" * 300])
def test_names_that_no_file_can_have(name):
    for given in (name, Path(name)):
        with pytest.raises(DataError, match="no file can be reached under such a name") as caught:
            load_dataset(given)
        assert len(str(caught.value)) < 250


def test_no_control_character_of_a_name_reaches_a_terminal(in_empty_folder):
    for name, text in (("a\x1b[31m\n.csv", "1,2\n3,5\n"), ("a\x1b[31m\n.ts", "@data\n1,2\n")):
        Path(name).write_text(text)
        data = load_dataset(name)
        assert (data.name + data.source + "".join(data.notes)).isprintable()
    Path("b\x1b.ts").write_text("@data\n1,x\n")
    with pytest.raises(DataError, match="line 2") as caught:
        load_dataset("b\x1b.ts")
    assert "\x1b" not in str(caught.value)


def test_a_step_of_the_users(tmp_path):
    np.save(tmp_path / "x.npy", X)
    plain = load_dataset(tmp_path / "x.npy")
    assert (plain.dt, plain.unit) == (1.0, "sample")
    timed = load_dataset(tmp_path / "x.npy", dt=2.0, unit="ms")
    assert (timed.dt, timed.unit) == (2.0, "ms")
    assert load_dataset(tmp_path / "x.npy", dt=2.0).unit == "s"
    with pytest.raises(ConfigError, match="a unit alone says nothing"):
        load_dataset(tmp_path / "x.npy", unit="s")
    with pytest.raises(DataError, match="dt > 0"):
        load_dataset(tmp_path / "x.npy", dt=-1.0)


def test_replacing_a_step_that_the_source_knows_is_noted():
    data = load_dataset("ecg", dt=4.0, unit="ms")
    assert (data.dt, data.unit) == (4.0, "ms")
    assert "was replaced by yours" in data.notes[-1]
    with pytest.raises(ConfigError, match=r"'ecg' knows its time unit.*expected s"):
        load_dataset("ecg", unit="ms")


def test_symbols_are_never_read_as_measurements():
    with pytest.raises(ConfigError, match="holds symbols"):
        load_dataset("mpsa-rna", kind="real")


def test_options_of_files_are_refused_for_names():
    with pytest.raises(ConfigError, match="layout= has no use for the shipped set 'GunPoint'"):
        load_dataset("GunPoint", layout="bt")


def test_any_equally_long_set_has_a_twin():
    data, twin = load_dataset("GunPoint"), load_dataset("GunPoint-permuted")
    order = np.random.default_rng(0).permutation(150)
    np.testing.assert_array_equal(twin.stacked()[0], data.stacked()[0][:, order])
    assert twin.name == "GunPoint-permuted"
    assert (twin.labels == data.labels).all()
    with pytest.raises(DataError, match="lengths 7 to 29"):
        load_dataset("JapaneseVowels-permuted")


def test_the_package_is_lazy_and_public():
    import timegrain.data as package

    assert package.Dataset is Dataset
    assert all(getattr(package, name) is not None for name in package.__all__)
