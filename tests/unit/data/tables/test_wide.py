"""Wide form: a row is a series."""

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError

TABLE = {
    "name": ["a", "b", "c"],
    "site": [1, 1, 2],
    "class": ["up", "down", "up"],
    "t0": [1.0, 2.0, 3.0],
    "t1": [2.0, None, 4.0],
    "t2": [3.0, 0.0, 5.0],
    "t3": [4.0, None, None],
}


def test_rows_are_series_with_names_groups_and_labels(load):
    data = load(TABLE, form="wide", id="name", group="site", target="class", dt=0.1)
    assert data.ids == ("a", "b", "c") and data.groups.tolist() == [0, 0, 1]
    assert data.labels.tolist() == [1, 0, 1] and data.class_names == ("down", "up")
    assert [len(s) for s in data.sequences] == [4, 3, 3]
    np.testing.assert_array_equal(data.sequences[1][:, 0], [2, np.nan, 0])
    assert (data.dt, data.unit, data.n_channels) == (0.1, "s", 1)
    assert data.notes[0].startswith("3 rows were read as series, 4 columns as their samples")
    assert "2 rows end in empty cells: they are shorter" in data.notes
    assert any("samples t0 to t3" in n for n in data.notes)


def test_chosen_columns_are_the_samples_in_the_order_given(load):
    data = load(TABLE, form="wide", value=("t2", "t0"))
    assert data.sequences[0][:, 0].tolist() == [3, 1]
    assert data.labels is None and data.groups is None


def test_series_need_no_header(tmp_path):
    from timegrain.data import load_dataset

    (tmp_path / "w.csv").write_text("1,0.5,2,3\n0,1.5,2,4\n")
    data = load_dataset(tmp_path / "w.csv", form="wide", target="0")
    assert data.labels.tolist() == [1, 0] and data.sequences[1][:, 0].tolist() == [1.5, 2, 4]


@pytest.mark.parametrize(
    ("change", "options", "error"),
    [
        ({"t0": [1.0, None, 3.0], "t2": [3.0, None, 5.0]}, {}, r"(line 3|row 2): too few samples"),
        ({}, {"value": "t0"}, "too few columns"),
        ({"class": ["up", None, "up"]}, {"target": "class"}, r"(line 3|row 2): no label"),
    ],
)
def test_what_is_wrong_is_said_with_its_row(change, options, error, load):
    more = {"id": "name", "group": "site", "value": ("t0", "t1", "t2", "t3"), **options}
    with pytest.raises(DataError, match=error):
        load(TABLE | change, form="wide", **more)


def test_no_column_holds_the_times_of_a_row(load):
    with pytest.raises(ConfigError, match="a row holds many times"):
        load(TABLE, form="wide", time="t0", value=("t1", "t2"))


def test_a_table_that_looks_wide_is_told_of_it(load):
    rows = {f"c{i}": [1.0, 2.0] for i in range(5)}
    with pytest.raises(DataError, match="form='wide' if a row is a series"):
        load(rows)


def test_rows_that_share_a_name_are_counted(load):
    table = {"m": ["a", "a", "b"], "0": [1.0, 2.0, 3.0], "1": [2.0, 1.0, 5.0]}
    data = load(table, form="wide", id="m")
    assert data.groups.tolist() == [0, 0, 1]
    note = next(n for n in data.notes if "share 2 names in 'm'" in n)
    assert note.startswith("3 rows") and "one side of a split" in note
    alone = load({**table, "m": ["a", "b", "c"]}, form="wide", id="m")
    assert not any("share" in n for n in alone.notes)


def _many(**first):
    return {**first, **{f"s{i}": [float(i), 1.0, 2.0, 5.0] for i in range(101)}}


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        (_many(m=["a", "a", "b", "b"]), {}),
        (_many(m=["a", "a", "b", "b"]), {"group": "m"}),
        (_many(m=["a", "a", "b", "b"], k=["1", "1", "1", "1"]), {"id": "k", "group": "m"}),
    ],
)
def test_many_columns_read_as_channels_hint_at_the_wide_form(load, columns, options):
    if not options and load.format == "parquet":
        return  # a column of text is left out there
    with pytest.raises(DataError, match=r"form='wide'"):
        load(columns, **options)


def test_many_channels_of_short_recordings_are_remarked_on(load):
    data = load(_many(m=["a", "a", "b", "b"]), id="m")
    assert any("more columns than rows in a recording; if a row is a series" in n
               for n in data.notes)  # fmt: skip
