"""Long form, the same from csv and from parquet."""

from pathlib import Path

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError

ROLES = {"id": "who", "time": "t", "value": ("x", "y"), "target": "act", "group": "site"}


def test_every_role_of_a_column(load, people):
    data = load(people, **ROLES)
    assert data.ids == ("ann", "bob", "cyd")
    assert data.channel_names == ("x", "y")
    assert [s.shape for s in data.sequences] == [(4, 2), (3, 2), (5, 2)]
    assert data.sequences[1][:, 0].tolist() == [0, 1, 4]
    assert (data.dt, data.unit, data.times) == (0.5, "time unit", None)
    assert data.class_names == ("run", "sit") and data.labels.tolist() == [0, 1, 0]
    assert data.groups.tolist() == [0, 0, 1]
    assert data.targets is None and data.starts is None
    assert [a.recording for a in data.audits] == ["ann", "bob", "cyd"]
    assert (
        "columns: time 't' (numbers), recording 'who' (3), group 'site' (2), label 'act' "
        "(2 classes, one a recording), channels x, y"
    ) in data.notes


def test_rows_of_people_between_each_other_are_sorted_out(load, people):
    apart = load(people, **ROLES)
    order = np.random.default_rng(0).permutation(12)
    who = np.array(people["who"])[order]
    for name in set(who.tolist()):
        # each person keeps the order of time
        order[who == name] = np.sort(order[who == name])
    mixed = load({k: np.array(v)[order].tolist() for k, v in people.items()}, **ROLES)
    assert sorted(mixed.ids) == list(apart.ids)
    for name in apart.ids:
        np.testing.assert_array_equal(
            mixed.sequences[mixed.ids.index(name)], apart.sequences[apart.ids.index(name)]
        )
        assert mixed.labels[mixed.ids.index(name)] == apart.labels[apart.ids.index(name)]
    assert any("between each other" in n for n in mixed.notes)


def test_without_value_all_other_columns_are_channels(load, people):
    data = load(people, id="who", time="t", target="act", group="site")
    assert data.channel_names == ("x", "y")


def test_people_are_their_own_groups_without_a_group(load, people):
    assert load(people, id="who", time="t", value="x").groups.tolist() == [0, 1, 2]


def test_a_label_that_changes_within_a_recording_is_one_a_sample(load, people):
    people["act"][1] = "sit"
    data = load(people, **ROLES)
    assert data.labels is None
    assert [t.tolist() for t in data.targets] == [[0, 1, 0, 0], [1, 1, 1], [0] * 5]


def test_numbers_are_classes_when_whole_and_values_when_not(load, people):
    people["act"] = [3] * 4 + [1] * 3 + [20] * 5
    data = load(people, **ROLES)
    assert data.class_names == ("1", "3", "20") and data.labels.tolist() == [1, 0, 2]
    people["act"] = [0.5] * 4 + [1.5] * 3 + [2.5] * 5
    data = load(people, **ROLES)
    assert data.class_names == () and data.labels.tolist() == [0.5, 1.5, 2.5]
    people["act"] = [0.5 * k for k in range(11)] + [None]
    data = load(people, **ROLES)
    assert np.isnan(data.targets[2][-1]) and data.targets[0].tolist() == [0, 0.5, 1, 1.5]


def test_whole_numbers_that_may_measure_something_are_noted(load):
    n = 300
    data = load({"x": [0.5 * k for k in range(n)], "age": list(range(n))}, value="x", target="age")
    assert any(
        "300 different whole numbers of column 'age' are read as classes" in n for n in data.notes
    )


def test_one_recording_with_a_target_and_no_id(load, people):
    one = {k: v[:4] for k, v in people.items()}
    one["act"] = ["a", "b", "b", "a"]
    data = load(one, time="t", value="x", target="act")
    assert data.ids == () and data.groups is None
    assert data.targets[0].tolist() == [0, 1, 1, 0]


def test_a_reset_cuts_a_recording_into_parts_of_one_group(load, people):
    people["t"] = [5.0, 5.5, 1.0, 1.5, *people["t"][4:]]
    data = load(people, **ROLES)
    assert data.ids == ("ann", "ann", "bob", "cyd")
    assert data.groups.tolist() == [0, 0, 0, 1]
    assert data.starts.tolist() == [0, 2, 0, 0]
    assert data.labels.tolist() == [0, 0, 1, 0]


def test_a_reset_of_the_only_recording(load):
    data = load({"t": [5.0, 6.0, 7.0, 1.0, 2.0], "x": [1.0, 2.0, 3.0, 4.0, 5.0]}, time="t")
    assert data.ids == ("t", "t") and data.groups.tolist() == [0, 0]
    assert data.starts.tolist() == [0, 3]
    assert "several recordings, name the column" in data.audits[0].actions[0]


def test_a_single_row_of_a_person_is_left_out_and_named(load, people):
    people["who"][6] = "dan"
    data = load(people, **ROLES)
    assert data.ids == ("ann", "bob", "cyd")
    assert "recordings of a single row were left out: dan" in data.notes
    with pytest.raises(DataError, match=r"(?s)every recording has a single row.*form='wide'"):
        load({"who": list("abcd"), "x": [1.0, 2.0, 3.0, 4.0], "y": [0.5] * 4}, id="who")


def test_names_are_kept_as_written(tmp_path):
    from timegrain.data import load_dataset

    (tmp_path / "t.csv").write_text("who,x\n007,1\n007,2\n7,3\n7,4\n")
    assert load_dataset(tmp_path / "t.csv", id="who").ids == ("007", "7")


@pytest.mark.parametrize(
    ("change", "options", "error"),
    [
        ({"who": (5, None)}, {}, r"(line 7|row 6): no recording in column 'who'"),
        ({"act": (5, None)}, {}, r"(line 7|row 6): no label in column 'act'"),
        ({"site": (5, None)}, {}, r"(line 7|row 6): no group in column 'site'"),
        ({"t": (5, None)}, {}, r"(line 7|row 6): no time in column 't'"),
        ({"site": (5, 3)}, {}, r"(line 7|row 6): recording 'bob' belongs to two groups, got '3'"),
        ({}, {"id": "whom"}, r"(?s)no column 'whom' for the names.*Try id='who'"),
        ({}, {"value": ("x", "z")}, r"(?s)no column 'z' for a channel"),
        ({}, {"value": ("x", "act"), "target": None}, r"column 'act' holds no number"),
    ],
)
def test_what_is_wrong_is_said_with_its_row(change, options, error, load, people):
    for name, (row, value) in change.items():
        people[name][row] = value
    with pytest.raises(DataError, match=error):
        load(people, **(ROLES | options))


def test_a_column_has_one_role(load, people):
    with pytest.raises(ConfigError, match="column 'x' was given two roles"):
        load(people, **(ROLES | {"time": "x"}))
    with pytest.raises(ConfigError, match="value= names one twice"):
        load(people, value=("x", "x"))
    assert load(people, id="who", group="who", value="x").groups.tolist() == [0, 1, 2]


def test_forms_have_two_names(load, people):
    with pytest.raises(ConfigError, match="unknown form"):
        load(people, form="tall")
    assert len(load(people, form="long", **ROLES)) == 3


def test_a_time_column_nobody_named_is_no_channel(load, people):
    with pytest.raises(DataError, match=r"(?s)'t' looks like the times.*time='t'"):
        load(people, id="who", target="act", group="site")


def test_steps_in_their_unit_reach_the_audit(load, people):
    data = load(people, **ROLES, dt=0.5, unit="h")
    assert (data.dt, data.unit) == (0.5, "h")
    assert {(a.step, a.unit) for a in data.audits} == {(0.5, "h")}
    assert any(a.unit == "min" and a.step == 30 for a in load_min(load, people).audits)


def load_min(load, people):
    people = dict(people)
    people["t"] = [f"2024-01-01T{8 + int(t)}:{'30' if t % 1 else '00'}:00" for t in people["t"]]
    people["t"] = [t.replace("T8", "T08").replace("T9", "T09") for t in people["t"]]
    return load(people, **ROLES, unit="min")


MEASURE = """
import sys
from pathlib import Path
from timegrain.data import load_dataset
data = load_dataset(sys.argv[1], time="time", dt=0.01)
assert len(data.sequences[0]) == 10_000_000 and data.times is None and data.dt == 0.01
# what getrusage says includes the parent process
status = Path("/proc/self/status").read_text()
print(int(status.split("VmHWM:")[1].split()[0]) // 1024)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_ten_million_rows_are_read_in_400_megabytes(tmp_path):
    import subprocess
    import sys

    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "big.parquet"
    schema = pa.schema([("time", pa.float64()), ("x", pa.float64())])
    part = np.arange(1_000_000)
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for k in range(10):
            columns = [(part + k * 1_000_000) * 0.01, np.sin(part / 50)]
            writer.write_table(pa.table(columns, schema=schema))
    # 80 MB of values, 80 MB of times, and what the packages take
    found = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True
    )
    assert int(found.stdout) < 400


def test_several_columns_name_a_recording_together(load):
    who = ["a", "a", "a", "a", "b", "b", "b", "b"]
    day = ["1", "1", "2", "2", "1", "1", "2", "2"]
    table = {"who": who, "day": day, "x": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]}
    data = load(table, id=("who", "day"))
    assert data.ids == ("a/1", "a/2", "b/1", "b/2")
    assert [s[0, 0] for s in data.sequences] == [0.0, 2.0, 4.0, 6.0]
    assert len(set(data.groups.tolist())) == 4
    assert any("group='who' keeps them together" in n for n in data.notes)
    kept = load(table, id=("who", "day"), group="who")
    assert kept.groups.tolist() == [0, 0, 1, 1]
    assert not any("keeps them together" in n for n in kept.notes)


def test_interleaved_rows_of_recordings_with_two_names(load):
    table = {"w": ["a", "b", "a", "b"], "d": ["2", "1", "2", "1"], "x": [0.0, 9.0, 1.0, 8.0]}
    data = load(table, id=["w", "d"])
    assert data.ids == ("a/2", "b/1")
    assert data.sequences[1][:, 0].tolist() == [9.0, 8.0]


def test_a_recording_of_two_groups_is_answered_with_both_names(load):
    table = {"who": ["a", "a", "b", "b"], "day": ["1"] * 4, "x": [0.0, 1.0, 2.0, 3.0]}
    with pytest.raises(DataError, match="belongs to two groups") as error:
        load(table, id="day", group="who")
    assert "id=('who', 'day')" in str(error.value)
