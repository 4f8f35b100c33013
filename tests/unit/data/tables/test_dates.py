"""Dates with the day or the month first."""

import numpy as np
import pyarrow as pa
import pytest

from timegrain.core.errors import ConfigError, DataError

X = [1.0, 3.0, 2.0, 5.0]
DAY = 86400.0


def said(data):
    return next(n for n in data.notes if n.startswith("columns: "))


@pytest.mark.parametrize(
    "cells",
    [
        ["01.02.2024", "02.02.2024", "03.02.2024", "04.02.2024"],
        ["1.2.2024", "2.2.2024", "3.2.2024", "4.2.2024"],
        ["30/1/2024", "31/1/2024", "1/2/2024", "2/2/2024"],
        ["30-01-2024", "31-01-2024", "01-02-2024", "02-02-2024"],
    ],
)
def test_the_day_comes_first(load, cells):
    data = load({"t": cells, "x": X}, time="t")
    assert (data.dt, data.unit, data.times) == (DAY, "s", None)
    assert "day first" in said(data)


def test_the_month_comes_first_where_a_day_shows_it(load):
    data = load({"t": ["1/30/2024", "1/31/2024", "2/1/2024", "2/2/2024"], "x": X}, time="t")
    assert data.dt == DAY
    assert "month first, as 1/30/2024 shows" in said(data)


@pytest.mark.parametrize(
    ("cells", "dt"),
    [
        (["31.12.2024 23:00", "31.12.2024 23:30", "01.01.2025 00:00", "01.01.2025 00:30"], 1800),
        (["31.12.2024", "31.12.2024 00:30:00", "31.12.2024 1:00", "31.12.2024 01:30"], 1800),
        (["12/31/2024 11:00 AM", "12/31/2024 12:00 PM", "12/31/2024 1:00 PM", "12/31/2024 2:00 pm"],
         3600),
        (["12/31/2024 11:00PM", "1/1/2025 12:00AM", "1/1/2025 1:00AM", "1/1/2025 2:00AM"], 3600),
        (["31.12.2024 10:00:00.0", "31.12.2024 10:00:00.5", "31.12.2024 10:00:01.0",
          "31.12.2024 10:00:01.5"], 0.5),
        (["2024/01/31", "2024/02/01", "2024/02/02", "2024/02/03"], DAY),
    ],
)  # fmt: skip
def test_times_stand_behind(load, cells, dt):
    data = load({"t": cells, "x": X}, time="t")
    assert data.times is None and data.dt == pytest.approx(dt, rel=1e-12)


def test_a_zone_is_kept(load):
    cells = [f"31.12.2024 10:0{i}:00+02:00" for i in range(4)]
    data = load({"t": cells, "x": X}, time="t")
    assert data.dt == 60 and "with their offset from UTC, day first" in said(data)


def test_both_readings_are_named_where_nothing_settles_them(load):
    cells = ["04/04/2024", "05/04/2024", "06/04/2024", "07/04/2024"]
    with pytest.raises(DataError, match="two ways") as error:
        load({"t": cells, "x": X}, time="t")
    text = str(error.value)
    assert "day 5 of month 4, or month 5, day 4" in text
    assert "dates='day-first' or dates='month-first'" in text
    days = load({"t": cells, "x": X}, time="t", dates="day-first")
    assert days.dt == DAY and "day first" in said(days)
    months = load({"t": cells, "x": X}, time="t", dates="month-first")
    assert months.dt == pytest.approx(DAY * np.mean([30, 31, 30]), rel=0.02)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["01.01.24", "02.01.24", "03.01.24", "04.01.24"], "no century"),
        (["13/01/2024", "01/13/2024", "01/14/2024", "01/15/2024"], "no one order"),
        (["01.13.2024", "01.14.2024", "01.15.2024", "01.16.2024"], "dates='month-first'"),
        (["13/01/2024", "14/01/2024", "15/15/2024", "16/01/2024"], "no one order|no time"),
        (["29.02.2023", "01.03.2023", "02.03.2023", "03.03.2023"], "no time, got '29.02.2023'"),
        (["13/01/2024", "2024-01-14", "15/01/2024", "16/01/2024"], None),
        (["13/01/2024", "soon", "15/01/2024", "16/01/2024"], "holds no time, got 'soon'"),
        (["13/01/2024 25:00", "14/01/2024", "15/01/2024", "16/01/2024"], "25:00"),
    ],
)  # fmt: skip
def test_what_is_no_date(load, cells, words):
    if words is None:
        assert load({"t": cells, "x": X}, time="t").dt == DAY
        return
    with pytest.raises(DataError, match=words):
        load({"t": cells, "x": X}, time="t")


@pytest.mark.parametrize(
    "cells", [["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"], [1.0, 2.0, 3.0, 4.0],
              ["10:00", "10:01", "10:02", "10:03"]]
)  # fmt: skip
def test_the_order_is_no_word_for_other_times(load, cells):
    with pytest.raises(ConfigError, match="dates="):
        load({"t": cells, "x": X}, time="t", dates="day-first")


@pytest.mark.parametrize("dates", ["day-first", "dmy", 3])
def test_the_order_needs_a_column_and_one_of_two_words(load, dates):
    with pytest.raises(ConfigError, match="dates="):
        load({"x": X}, dates=dates)


def test_dates_of_parquet_have_an_order(load):
    if load.format == "parquet":
        table = pa.table({"t": pa.array(np.arange(4), pa.timestamp("s")), "x": X})
        with pytest.raises(ConfigError, match="says itself"):
            load(table, time="t", dates="day-first")
