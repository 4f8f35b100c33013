import shutil

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError
from timegrain.data import load_dataset, load_task
from timegrain.data.sources.package import locate

NAN = float("nan")
TSV = "2\t1.5\t-2\tNaN\t4\n1\t1e-1\t0\t3\tNaN\n"
RELATIONAL = (
    "% a note\n@relation 'Two'\n\n@attribute series relational\n@attribute t0 numeric\n"
    "@attribute t1 numeric\n@attribute t2 numeric\n@end series\n"
    "@attribute kind {up,'down'}\n@data\n"
)
FLAT = "@Relation one\n@ATTRIBUTE a REAL\n@attribute b real\n@attribute target {2,1}\n@DATA\n"


def two(folder, name, form, train, test):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}_TRAIN.{form}").write_text(train)
    (folder / f"{name}_TEST.{form}").write_text(test)
    return folder


def test_a_ts_folder_gives_both_parts_and_their_labels(ucr_ts):
    data = load_dataset(ucr_ts)
    assert (data.name, len(data), data.n_train, data.class_names) == ("Tiny", 3, 2, ("a", "b"))
    np.testing.assert_array_equal(data.sequences[2][:, 0], [-1, NAN, 10])
    assert data.labels.tolist() == [1, 0, 1]
    assert "Tiny_TRAIN.ts and Tiny_TEST.ts" in data.source


def test_it_is_a_task_with_the_published_parts(ucr_ts):
    task = load_task(f"ucr:{ucr_ts}")
    assert (len(task.train), len(task.test), task.n_classes) == (2, 1, 2)
    assert any("split of the source" in note for note in task.notes)


def test_tsv_rows_hold_the_class_first_and_padding_last(tmp_path):
    data = load_dataset(two(tmp_path / "Rag", "Rag", "tsv", TSV, "1\t9\t8\t7\t6\n"))
    assert [len(s) for s in data.sequences] == [4, 3, 4]
    np.testing.assert_array_equal(data.sequences[0][:, 0], [1.5, -2, NAN, 4])
    assert (data.class_names, data.labels.tolist()) == (("1", "2"), [1, 0, 0])
    assert "1 series of Rag_TRAIN.tsv end in missing samples, taken for padding" in data.notes[0]


def test_txt_rows_are_parted_by_spaces_and_classes_are_ordered_as_numbers(tmp_path):
    rows = "".join(f"  {c:.7e}   1.0e+00  {c}\n" for c in (10, 2, -1))
    data = load_dataset(two(tmp_path / "Old", "Old", "txt", rows, rows))
    assert data.class_names == ("-1", "2", "10")
    assert data.labels.tolist() == [2, 1, 0] * 2


def test_arff_of_several_dimensions(tmp_path):
    train = RELATIONAL + "'1,2,?\\n4,5,?',up\n\"-1,0,1\\n?,1e1,2\",down\n"
    data = load_dataset(
        two(tmp_path / "Two", "Two", "arff", train, RELATIONAL + "'1,2,3\\n4,5,6', up\n")
    )
    np.testing.assert_array_equal(data.sequences[0], [[1, 4], [2, 5]])
    np.testing.assert_array_equal(data.sequences[1], [[-1, NAN], [0, 10], [1, 2]])
    assert (data.class_names, data.labels.tolist(), data.n_train) == (("up", "down"), [0, 1, 0], 2)


def test_arff_of_one_dimension_keeps_the_order_of_its_classes(tmp_path):
    data = load_dataset(two(tmp_path / "One", "One", "arff", FLAT + "1,2,1\n", FLAT + "3,-4e0,2\n"))
    assert [s[:, 0].tolist() for s in data.sequences] == [[1, 2], [3, -4]]
    assert (data.class_names, data.labels.tolist()) == (("2", "1"), [1, 0])


@pytest.mark.parametrize("name", ["GunPoint", "ArrowHead", "BasicMotions"])
def test_published_arff_files_hold_what_the_ts_files_do(name, tmp_path):
    source = locate("aeon", f"aeon/datasets/data/{name}/{name}_TRAIN.ts").parent
    folder = tmp_path / name
    folder.mkdir()
    for part in ("TRAIN", "TEST"):
        shutil.copy(source / f"{name}_TRAIN.arff", folder / f"{name}_{part}.arff")
    found, known = load_dataset(folder), load_dataset(name)
    assert found.n_train == known.n_train
    for i in range(found.n_train):
        np.testing.assert_array_equal(found.sequences[i], known.sequences[i])
        assert (
            found.class_names[found.labels[i]].lower() == known.class_names[known.labels[i]].lower()
        )


@pytest.mark.parametrize("name", ["GunPoint", "ArrowHead"])
def test_published_tsv_files_hold_what_the_ts_files_do(name, tmp_path):
    source = locate("aeon", f"aeon/datasets/data/{name}/{name}_TRAIN.ts").parent
    folder = tmp_path / name
    folder.mkdir()
    for part in ("TRAIN", "TEST"):
        shutil.copy(source / f"{name}_TRAIN.tsv", folder / f"{name}_{part}.tsv")
    found, known = load_dataset(folder), load_dataset(name)
    assert found.labels[: found.n_train].tolist() == known.labels[: known.n_train].tolist()
    for i in range(found.n_train):
        # both files print seven decimals or more
        np.testing.assert_allclose(found.sequences[i], known.sequences[i], rtol=0, atol=1e-7)


def test_the_folder_of_an_installed_set_is_the_set():
    folder = locate("aeon", "aeon/datasets/data/JapaneseVowels/JapaneseVowels_TRAIN.ts").parent
    found, known = load_dataset(folder), load_dataset("JapaneseVowels")
    assert (found.n_train, found.labels.tolist()) == (known.n_train, known.labels.tolist())
    assert all((a == b).all() for a, b in zip(found.sequences, known.sequences, strict=True))


def test_values_to_predict_are_values():
    found = load_dataset(
        locate("aeon", "aeon/datasets/data/Covid3Month/Covid3Month_TRAIN.ts").parent
    )
    assert (found.labels.dtype, found.class_names) == (np.float64, ())
    assert found.n_train == 140


def test_a_missing_part_is_named(ucr_ts):
    (ucr_ts / "Tiny_TEST.ts").unlink()
    with pytest.raises(
        DataError, match=r"Tiny has no TEST part, got Tiny_TRAIN.ts, expected Tiny_T"
    ):
        load_dataset(ucr_ts)


def test_several_sets_in_a_folder_are_asked_for_by_name(tmp_path):
    folder = tmp_path / "all"
    for name in ("A", "B"):
        two(folder, name, "tsv", "1\t1\t2\n", "2\t3\t4\n")
    with pytest.raises(DataError, match=r"(?s)holds several sets, got A, B.*Try ucr:.*all/A"):
        load_dataset(folder)
    assert load_dataset(f"ucr:{folder}/B").name == "B"
    with pytest.raises(DataError, match=r"no folder .*all/C', nor files C_TRAIN, got A, B"):
        load_dataset(f"ucr:{folder}/C")


def test_files_of_single_dimensions_are_passed_over(tmp_path):
    folder = two(
        tmp_path / "x", "Two", "arff", RELATIONAL + "'1,2,3',up\n", RELATIONAL + "'1,2,3',up\n"
    )
    two(folder, "TwoDimension1", "arff", FLAT + "1,2,1\n", FLAT + "1,2,1\n")
    assert load_dataset(folder).name == "Two"


@pytest.mark.parametrize(
    ("form", "bad", "message"),
    [
        (
            "tsv",
            "1\t2\t3\n1\t2\n",
            r"X_TEST.tsv, line 2: another number of cells.*got 2, expected 3",
        ),
        ("tsv", "0.25\t2\t1\n", r"line 1: the first cell is no class, got '0.25'"),
        ("tsv", "1\tNaN\tNaN\n", r"line 1: all samples are missing"),
        ("tsv", "1\t2\tNaN\n", r"line 1: a series of one sample"),
        ("tsv", "1\t2\tx\n", r"line 1: dimension 0, sample 1: not a number, got 'x'"),
        ("tsv", "\n", r"X_TEST.tsv holds no series"),
        ("arff", FLAT + "1,2\n", r"line 6: dimension 0 has another length.*got 1, expected 2"),
        ("arff", FLAT + "1,2,3\n", r"line 6: unknown class, got '3', expected one of 2, 1"),
        ("arff", FLAT, r"X_TEST.arff has no case after @data"),
        ("arff", FLAT.replace("@DATA", ""), r"X_TEST.arff has no @data line"),
        ("arff", FLAT.replace("{2,1}", "real") + "1,2,3\n", r"the last attribute is no class"),
        ("arff", FLAT.replace("b real", "b string") + "1,2,1\n", r"an attribute that is no number"),
        ("arff", RELATIONAL + "'1,2,3\n", r"line 11: dimensions that are not in quotes"),
        ("arff", RELATIONAL + "'1,2,3'\n", r"line 11: no label after the quotes"),
        (
            "arff",
            RELATIONAL + "'1,2,3',up\n'1,2,3\\n1,2,3',up\n",
            r"line 12: another number of dim",
        ),
    ],
)
def test_damaged_files_are_told_with_their_line(form, bad, message, tmp_path):
    good = {"tsv": "1\t2\t3\n", "arff": FLAT + "1,2,1\n"}[form]
    with pytest.raises(DataError, match=message):
        load_dataset(two(tmp_path / "X", "X", form, good, bad))


def test_parts_that_contradict_each_other(tmp_path):
    folder = two(tmp_path / "X", "X", "arff", FLAT + "1,2,1\n", RELATIONAL + "'1,2,3\\n1,2,3',up\n")
    with pytest.raises(DataError, match=r"X_TEST.arff has other dimensions than X_TRAIN.arff"):
        load_dataset(folder)
    two(folder, "X", "arff", FLAT + "1,2,1\n", FLAT.replace("{2,1}", "{2,1,3}") + "1,2,1\n")
    with pytest.raises(DataError, match=r"list other classes, got 3 in one of them"):
        load_dataset(folder)


def test_a_class_only_to_be_tested_is_noted(tmp_path):
    data = load_dataset(two(tmp_path / "X", "X", "tsv", "1\t2\t3\n", "7\t2\t3\n"))
    assert "classes only in the test part: 7" in data.notes


def test_words_of_tables_have_no_use(ucr_ts):
    with pytest.raises(ConfigError, match="target= has no use for Tiny, a folder"):
        load_dataset(ucr_ts, target="x")


@pytest.mark.parametrize("cell", ["1_1", "\u0661", "1.5", "nan", "inf", "1e30", "", "0x1", "1e-3"])
def test_a_first_cell_that_is_no_class(tmp_path, cell):
    rows = f"2\t1\t2\t3\n{cell}\t1\t2\t3\n"
    with pytest.raises(DataError, match=r"Own_TRAIN.tsv, line 2: the first cell is no class"):
        load_dataset(two(tmp_path / "Own", "Own", "tsv", rows, rows))


@pytest.mark.parametrize("rows", ["1;2;3\n2;3;4\n", "1\n2\n"])
def test_rows_of_one_cell_have_no_samples(tmp_path, rows):
    with pytest.raises(DataError, match=r"line 1: no sample behind the class.*parted by tabs"):
        load_dataset(two(tmp_path / "Own", "Own", "tsv", rows, rows))


def test_both_parts_must_not_be_one_file(tmp_path):
    folder = two(tmp_path / "Own", "Own", "tsv", TSV, TSV)
    (folder / "Own_TEST.tsv").unlink()
    (folder / "Own_TEST.tsv").symlink_to(folder / "Own_TRAIN.tsv")
    with pytest.raises(DataError, match=r"both parts of Own are one file"):
        load_dataset(folder)
