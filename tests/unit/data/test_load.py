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
