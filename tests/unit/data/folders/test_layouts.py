from pathlib import Path

import pytest

from timegrain.core.errors import ConfigError, DataError, UnknownNameError
from timegrain.data import load_dataset
from timegrain.data.folders.layouts import fitting_layouts, layouts
from timegrain.data.resolve import resolve


@pytest.mark.parametrize(
    ("fixture", "layout"),
    [
        ("ucr_ts", "ucr"),
        ("cifar", "cifar10"),
        ("imdb", "imdb"),
        ("aan", "aan"),
        ("commands", "speech-commands"),
    ],
)
def test_each_layout_is_told_by_its_files_alone(fixture, layout, request):
    folder = request.getfixturevalue(fixture)
    assert fitting_layouts(folder) == [layout]
    named = load_dataset(f"{layout}:{folder}")
    told = load_dataset(folder)
    assert named.describe() == told.describe()


def test_summaries_fit_a_line_of_a_listing():
    assert max(len(entry.summary) for entry in layouts) <= 55


def test_a_named_layout_comes_before_a_function():
    found = resolve("ucr:main")
    assert (found.layout, found.path, found.function) == ("ucr", Path("main"), None)
    assert resolve("mine:main").function == "mine:main"


def test_a_name_with_two_meanings_is_refused(in_empty_folder):
    Path("ucr:x").mkdir()
    with pytest.raises(ConfigError, match=r"(?s)ambiguous, got a folder in a layout.*\./ucr:x"):
        load_dataset("ucr:x")


def test_a_folder_that_fits_two_layouts_is_asked_about(cifar):
    (cifar / "validation_list.txt").touch()
    with pytest.raises(ConfigError, match=r"several ways, got cifar10, speech-commands"):
        load_dataset(cifar)
    assert load_dataset(f"cifar10:{cifar}").name == "cifar10"


def test_the_folder_around_it_says_which(ucr_ts):
    with pytest.raises(DataError, match=r"(?s)is a directory.*Try .*Tiny, the folder inside"):
        load_dataset(ucr_ts.parent)


def test_a_folder_of_no_layout_says_which_there_are(tmp_path):
    (tmp_path / "notes.md").touch()
    with pytest.raises(DataError, match=r"(?s)is a directory.*imdb \(aclImdb.*ucr \(a set of"):
        load_dataset(tmp_path)


@pytest.mark.parametrize("layout", layouts.names())
def test_a_missing_folder_and_a_file_in_its_place(layout, tmp_path):
    with pytest.raises(DataError, match=r"there is no folder"):
        load_dataset(f"{layout}:{tmp_path / 'nowhere'}")
    (tmp_path / "file.txt").touch()
    with pytest.raises(DataError, match=r"no folder|not a folder"):
        load_dataset(f"{layout}:{tmp_path / 'file.txt'}")


def test_a_layout_in_other_case_and_one_without_a_folder(ucr_ts):
    with pytest.raises(UnknownNameError, match=f"Try ucr:{ucr_ts}"):
        load_dataset(f"UCR:{ucr_ts}")
    with pytest.raises(ConfigError, match="expected ucr:FOLDER"):
        load_dataset("ucr:")
