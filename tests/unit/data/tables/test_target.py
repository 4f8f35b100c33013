"""What a column of labels holds."""

import numpy as np
import pytest

from timegrain.data import load_dataset


def labelled(folder, labels):
    rows = [f"r{i},{i * j % 7},{y}" for i, y in enumerate(labels) for j in range(5)]
    path = folder / "x.csv"
    path.write_text("\n".join(["id,x,y", *rows]) + "\n")
    data = load_dataset(path, id="id", target="y")
    return data.class_names, data.labels.tolist()


@pytest.mark.parametrize(
    ("labels", "names", "numbers"),
    [
        (["+1", "-1", "1", "-1"], ("-1", "1"), [1, 0, 1, 0]),
        (["true", "TRUE", "False", "false"], ("false", "true"), [1, 1, 0, 0]),
        (["007", "7", "8"], ("7", "8"), [0, 0, 1]),
        (["10", "9", "10"], ("9", "10"), [1, 0, 1]),
        (["b", "a", "B"], ("B", "a", "b"), [2, 1, 0]),
        (["0.5", "1.5", "2"], (), [0.5, 1.5, 2.0]),
        (["1", "1e3", "1"], (), [1.0, 1000.0, 1.0]),
    ],
)
def test_whole_numbers_truth_values_and_words_are_classes(labels, names, numbers, tmp_path):
    assert labelled(tmp_path, labels) == (names, numbers)


def test_an_empty_column_amid_a_wide_table_is_a_missing_sample(tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("name,0,1,2,3,4,5,6\na,1,2,,,5,6,\nb,3,1,,,2,9,\n")
    data = load_dataset(path, form="wide", id="name")
    # time between the columns stays; behind the last sample there is nothing to keep
    np.testing.assert_array_equal(data.sequences[0][:, 0], [1, 2, np.nan, np.nan, 5, 6])
