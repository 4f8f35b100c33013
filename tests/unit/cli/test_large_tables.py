"""A large table in blocks gets the checks, notes and numbers of one that is read at once."""

import datetime as dt
import decimal
import json
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from timegrain.cli.main import run
from timegrain.continuity.stream import blocks
from timegrain.data.readers import parquet

N = 400
RNG = np.random.default_rng(0)
X, Y = np.cumsum(RNG.normal(size=(2, N)), axis=1)
K = np.arange(N)
WHO = np.array(["a", "b", "c"])[K * 3 // N]
MIXED = np.array(["a", "b", "c"])[K % 3]
T = K * 0.01


def but(array, row, value):
    out = list(array)
    out[row] = value
    return out


GAPS = T + 5.0 * (K >= 200) + 0.05 * (K >= 300)
TABLES = {
    "plain": ({"x": X, "y": Y}, []),
    "an empty column": ({"x": X, "y": np.full(N, np.nan)}, []),
    "a column of no type": ({"x": X, "y": [None] * N}, []),
    "nothing but empty cells": ({"x": np.full(N, np.nan)}, []),
    "text beside numbers": ({"x": X, "w": ["u"] * N, "b": X > 0}, []),
    "text alone": ({"w": ["u"] * N}, []),
    "numbers as text": ({"w": [str(v) for v in X]}, ["--value", "w"]),
    "text as value": ({"x": X, "w": ["u"] * N}, ["--value", "x,w"]),
    "booleans as value": ({"b": X > 0}, ["--value", "b"]),
    "dates unsaid": ({"d": [dt.datetime(2024, 1, 1) + dt.timedelta(hours=int(k)) for k in K],
                      "x": X}, []),
    "ids with blanks": ({"id": [w + " " * (k % 2) for k, w in enumerate(WHO)], "x": X},
                        ["--id", "id"]),
    "an id of none": ({"id": but(WHO, 77, None), "x": X}, ["--id", "id"]),
    "an id of a question mark": ({"id": but(WHO, 77, "?"), "x": X}, ["--id", "id"]),
    "an empty id": ({"id": but(WHO, 77, " "), "x": X}, ["--id", "id"]),
    "an unprintable id": ({"id": but(WHO, 77, "a\x1b"), "x": X}, ["--id", "id"]),
    "mixed recordings": ({"id": MIXED, "x": X}, ["--id", "id"]),
    "a single row": ({"id": but(WHO, 200, "z"), "x": X}, ["--id", "id"]),
    "single rows": ({"id": K, "x": X}, ["--id", "id"]),
    "ids of floats": ({"id": 1.5 * (K > 100), "x": X}, ["--id", "id"]),
    "two ids": ({"id": WHO, "day": K // 50, "x": X}, ["--id", "id,day"]),
    "no such id": ({"id": WHO, "x": X}, ["--id", "ids"]),
    "two roles": ({"id": WHO, "x": X}, ["--id", "id", "--value", "id,x"]),
    "a group": ({"id": K // 50, "g": WHO, "x": X[K // 50 * 50]}, ["--id", "id", "--group", "g"]),
    "a group within": ({"id": K // 50, "g": K // 100, "x": X}, ["--id", "id", "--group", "g"]),
    "a group without ids": ({"g": WHO, "x": X}, ["--group", "g"]),
    "one group": ({"g": ["a"] * N, "x": X}, ["--group", "g"]),
    "an empty group": ({"g": but(WHO, 9, None), "id": WHO, "x": X}, ["--id", "id", "--group", "g"]),
    "large numbers": ({"x": (X * 1000).astype(np.int64) + 2**60}, []),
    "large numbers, one missing": ({"x": but(((X * 1000).astype(int) + 2**60).tolist(), 5, None)},
                                   []),
    "large numbers without sign": ({"x": (X * 1000).astype(np.int64).astype(np.uint64)
                                    + np.uint64(2**63)}, []),
    "decimals": ({"x": [decimal.Decimal(f"{v:.3f}") for v in X]}, []),
    "a dictionary": ({"x": pa.array(X).dictionary_encode(), "y": Y}, []),
    "float32": ({"x": X.astype(np.float32)}, []),
    "float16": ({"x": X.astype(np.float16), "y": Y}, []),
    "missing cells": ({"x": but(X, 9, None), "y": but(Y, 10, None)}, []),
    "whole numbers, one missing": ({"x": but(K.tolist(), 9, None), "y": Y}, []),
    "an infinite value": ({"x": but(X, 333, math.inf), "y": Y}, []),
    "an infinite value of the second": ({"id": WHO, "x": but(X, 200, -math.inf)}, ["--id", "id"]),
    "an infinite value behind a gap": ({"t": GAPS, "x": but(X, 333, math.inf)}, ["--time", "t"]),
    "a forgotten time": ({"time": T, "x": X}, []),
    "a forgotten time, ids": ({"x": X, "id": WHO, "t [s]": np.concatenate(3 * [T])[:N]},
                              ["--id", "id"]),
    "a forgotten time, later": ({"x": X, "time": T + 9}, []),
    "a time that falls": ({"time": but(T, 300, 0.0), "x": X}, []),
    "a time that repeats": ({"time": but(T, 300, T[299]), "x": X}, []),
    "two times": ({"t": T, "time": T * 2, "x": X}, ["--time", "t"]),
    "counted rows": ({"n": K, "x": X}, []),
    "a constant": ({"x": np.ones(N), "y": Y}, []),
    "constants": ({"x": np.ones(N)}, []),
    "times": ({"t": T, "x": X}, ["--time", "t", "--hz", "100"]),
    "times of another rate": ({"t": T, "x": X}, ["--time", "t", "--hz", "50"]),
    "times in milliseconds": ({"t": K * 10, "x": X}, ["--time", "t", "--unit", "ms"]),
    "a step without times": ({"x": X}, ["--dt", "20ms", "--window", "1s"]),
    "gaps": ({"t": GAPS, "x": X}, ["--time", "t"]),
    "times that go back": ({"t": T - 3.0 * (K > 200), "x": X}, ["--time", "t"]),
    "times that repeat": ({"t": but(T, 300, T[299]), "x": X}, ["--time", "t"]),
    "a time of none": ({"t": but(T, 300, None), "x": X}, ["--time", "t"]),
    "times as text": ({"t": [f"2024-01-01T00:{k // 60:02}:{k % 60:02}" for k in K], "x": X},
                      ["--time", "t"]),
    "zoned dates": ({"t": pa.array(K * 1000, pa.timestamp("ms", "UTC")), "x": X}, ["--time", "t"]),
    "times and ids": ({"t": T, "id": WHO, "x": X}, ["--time", "t", "--id", "id"]),
    "on its side": ({f"x{i}": X[i : i + 2] for i in range(5)}, []),
    "wider than long": ({f"x{i}": X[i : i + 9] for i in range(12)}, []),
    "two columns of one name": (pa.table([pa.array(X), pa.array(Y)], names=["x", "x"]), []),
    "unknown form": ({"x": X}, ["--form", "tall"]),
}  # fmt: skip

SUMS = {"event_error", "spectral_edge", "spectral_entropy", "reasons", "provenance"}
ENDS = {"low", "high", "interval", "n_groups"}


def shown(capsys, words):
    status = run(["data", "table.parquet", *words, "--strides", "2,4", "--json"])
    out, err = capsys.readouterr()
    if status:
        return status, " ".join(err.split())
    data = json.loads(out)
    for part in (data, *data["profile"], *data["channels"]):
        # one series is cut into other blocks for the interval
        for name in SUMS | (ENDS if data["group"] == "block" else set()):
            part.pop(name, None)
    data["notes"] = [
        n.replace("; read in blocks, never all at once", "")
        for n in data["notes"]
        if not n.startswith("read as a stream")
    ]
    return status, data


def alike(a, b):
    """Equal, numbers to rounding: they are ratios of sums of 400 terms."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(alike(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return a == b


@pytest.mark.parametrize("case", TABLES)
def test_a_table_in_blocks_is_checked_and_told_as_one_in_memory(
    case, tmp_path, monkeypatch, capsys
):
    columns, words = TABLES[case]
    monkeypatch.chdir(tmp_path)
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    pq.write_table(table, "table.parquet", row_group_size=90)
    whole = shown(capsys, words)
    monkeypatch.setattr(blocks, "LARGE", 1)
    monkeypatch.setattr(parquet, "BATCH", 70)
    large = shown(capsys, words)
    assert large[0] == whole[0]
    if whole[0]:
        assert large[1] == whole[1]
        return
    for name in whole[1]:
        assert alike(large[1][name], whole[1][name]), (name, large[1][name], whole[1][name])
    assert large[1].keys() == whole[1].keys()
