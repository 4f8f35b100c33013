"""Columns of times, the same from csv and from parquet."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from timegrain.core.errors import DataError
from timegrain.data.tables.times import epoch_unit

START = 1_700_000_000
NONE_IN_THE_SECOND = r"(line 3|row 2): column 't' holds no time"
X = [1.0, 3.0, 2.0, 5.0, 4.0]


@pytest.mark.parametrize(("unit", "ticks"), [("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)])
def test_epoch_numbers_are_recognised_and_said(unit, ticks, load):
    times = [int((START + 2 * k) * ticks) for k in range(5)]
    data = load({"t": times, "x": X}, time="t")
    assert (data.dt, data.unit, data.times) == (2.0, "s", None)
    assert any(
        "seconds since 1970, the first being 2023-11-14T22:13:20.000 UTC" in n for n in data.notes
    )


def test_epoch_numbers_with_fractions(load):
    data = load({"t": [START + 0.25 * k for k in range(5)], "x": X}, time="t")
    assert (data.dt, data.unit) == (0.25, "s")


def test_numbers_that_may_be_anything_stay_what_they_are():
    assert epoch_unit(0, 1e3) is None and epoch_unit(0, 1.7e9) is None
    assert epoch_unit(1e5, 2e5) is None and epoch_unit(1.7e9, 1.7e12) is None


@pytest.mark.parametrize(
    ("cells", "n_changes"),
    [
        (["T02:00:00+02:00", "T02:30:00+02:00", "T02:00:00+01:00"], 1),
        (["T00:00:00Z", "T00:30:00Z", "T01:00:00Z"], 0),
        ([" 00:00:00+0000", " 00:30:00+0000", " 01:00:00+0000"], 0),
    ],
)
def test_zones_become_utc_and_changes_are_counted(cells, n_changes, load):
    data = load({"t": [f"2024-10-27{c}" for c in cells], "x": X[:3]}, time="t")
    assert (data.dt, data.unit, data.times) == (1800.0, "s", None)
    assert data.audits[0].n_zone_changes == n_changes
    assert "UTC" in data.audits[0].actions[0]


def test_local_times_that_fall_back_hint_at_daylight_saving(load):
    minutes = [60, 80, 100, 120, 140, 160, 120, 140, 160, 180, 200, 220]
    cells = [f"2024-10-27 {m // 60:02d}:{m % 60:02d}:00" for m in minutes]
    data = load({"t": cells, "x": np.arange(12.0) % 5}, time="t")
    assert [len(s) for s in data.sequences] == [6, 6]
    assert any("daylight saving" in a for a in data.audits[0].actions)


@pytest.mark.parametrize(
    "cells", [["10:00:00", "10:00:30", "10:01:00"], ["23:59:00.5", "23:59:30.5", "00:00:00.5"]]
)
def test_times_of_day_pass_midnight(cells, load):
    data = load({"t": cells, "x": X[:3]}, time="t")
    assert (data.dt, data.unit, len(data)) == (30.0, "s", 1)


def test_typed_columns_of_parquet(tmp_path):
    import pyarrow.parquet as pq

    from timegrain.data import load_dataset

    at = [dt.datetime(2024, 1, 1, 0, m) for m in range(5)]
    for kind in (
        pa.array(at, pa.timestamp("ns")),
        pa.array(at, pa.timestamp("ms", "Europe/Berlin")),
        pa.array([a - at[0] for a in at], pa.duration("s")),
        pa.array([a.time() for a in at], pa.time32("ms")),
        pa.array([a.time() for a in at], pa.time64("ns")),
    ):
        pq.write_table(pa.table({"t": kind, "x": X}), tmp_path / "t.parquet")
        data = load_dataset(tmp_path / "t.parquet", time="t")
        assert (data.dt, data.unit) == (60.0, "s"), kind.type
    days = [dt.date(2024, 1, d) for d in range(1, 6)]
    for kind in (pa.date32(), pa.date64()):
        pq.write_table(pa.table({"t": pa.array(days, kind), "x": X}), tmp_path / "t.parquet")
        assert load_dataset(tmp_path / "t.parquet", time="t", unit="d").dt == 1.0


@pytest.mark.parametrize(
    ("cells", "error"),
    [
        (["2024-01-01T00:00Z", "2024-01-01T00:01", "2024-01-01T00:02Z"], NONE_IN_THE_SECOND),
        (["soon", "later", "never"], r"(line 2|row 1): column 't' holds no time, got 'soon'"),
        (["10:00:00.5", "25:00:00.5", "10:00:02.5"], r"(line 3|row 2): column 't' holds no time"),
    ],
)
def test_what_is_no_time_is_named_with_its_row(cells, error, load):
    with pytest.raises(DataError, match=error):
        load({"t": cells, "x": X[:3]}, time="t")
