"""Whatever happens to a file of a folder, the folder is read or an error of ours says why not."""

import numpy as np
import pytest

from timegrain.core.errors import TimegrainError
from timegrain.data import check_source, load_dataset
from timegrain.data.folders.layouts import fitting_layouts

FIXTURES = ("ucr_ts", "ucr_arff", "ucr_tsv", "cifar", "imdb", "aan", "commands")


@pytest.fixture
def ucr_arff(tmp_path):
    folder = tmp_path / "Arff"
    folder.mkdir()
    text = (
        "@relation Arff\n@attribute r relational\n@attribute a numeric\n@attribute b numeric\n"
        "@end r\n@attribute c {x,y}\n@data\n'1,2\\n3,4',x\n'5,?\\n7,1e2',y\n"
    )
    for part in ("TRAIN", "TEST"):
        (folder / f"Arff_{part}.arff").write_text(text)
    return folder


@pytest.fixture
def ucr_tsv(tmp_path):
    folder = tmp_path / "Tsv"
    folder.mkdir()
    for part in ("TRAIN", "TEST"):
        (folder / f"Tsv_{part}.tsv").write_text("1\t2.5\t-3e1\tNaN\n2\t4\t5\t6\n")
    return folder


def _cut(raw, random):
    return raw[: random.integers(0, len(raw) + 1)]


def _flipped(raw, random):
    found = np.frombuffer(raw, dtype=np.uint8).copy()
    if len(found):
        found[random.integers(0, len(found), 3)] = random.integers(0, 256, 3)
    return found.tobytes()


def _doubled(raw, random):
    at = random.integers(0, len(raw) + 1)
    return raw[:at] + raw


DAMAGE = (_cut, _flipped, _doubled, lambda raw, random: b"", lambda raw, random: b"\0" * len(raw))


@pytest.mark.parametrize("fixture", FIXTURES)
def test_damage_is_told_or_harmless(fixture, request):
    folder = request.getfixturevalue(fixture)
    (layout,) = fitting_layouts(folder)
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    random, told = np.random.default_rng(0), 0
    for turn in range(60):
        file = files[turn % len(files)]
        whole = file.read_bytes()
        file.write_bytes(DAMAGE[turn % len(DAMAGE)](whole, random))
        try:
            load_dataset(f"{layout}:{folder}")
        except TimegrainError as error:
            told += 1
            assert str(error)
        file.write_bytes(whole)
    assert told > 5
    assert len(load_dataset(folder)) > 0


@pytest.mark.parametrize("fixture", FIXTURES)
def test_each_file_is_needed_or_optional(fixture, request):
    folder = request.getfixturevalue(fixture)
    (layout,) = fitting_layouts(folder)
    for file in sorted(p for p in folder.rglob("*") if p.is_file()):
        whole = file.read_bytes()
        file.unlink()
        try:
            load_dataset(f"{layout}:{folder}")
        except TimegrainError as error:
            assert str(error)
        # a folder in the place of a file
        file.mkdir()
        try:
            load_dataset(f"{layout}:{folder}")
        except TimegrainError as error:
            assert str(error)
        file.rmdir()
        file.write_bytes(whole)


@pytest.mark.parametrize("fixture", [f for f in FIXTURES if f not in ("ucr_arff", "ucr_tsv")])
def test_a_whole_folder_keeps_the_contract_of_a_source(fixture, request):
    found = check_source(str(request.getfixturevalue(fixture)), cases=4)
    assert found.failures == (), repr(found)
