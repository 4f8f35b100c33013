"""Parts of many files, put together, are one measurement."""

import itertools
import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from timegrain.cli.main import run
from timegrain.continuity.stream import blocks


def walk(n, seed=0):
    return np.cumsum(np.random.default_rng(seed).standard_normal((n, 2)), axis=0)


def table(path, n, *, seed=0, step=0.01, names=("a", "b"), people=3, keep=None, times=None):
    x = walk(n, seed)
    t = np.arange(n) * step if times is None else times
    who = np.repeat(np.arange(people), -(-n // people))[:n]
    columns = {"t": t, names[0]: x[:, 0], names[1]: x[:, 1], "who": who}
    rows = np.arange(n) if keep is None else keep
    pq.write_table(pa.table({k: v[rows] for k, v in columns.items()}), path, row_group_size=1000)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for i in range(5):
        table(tmp_path / f"r{i}.parquet", 5000 + 1100 * i, seed=i)
    return tmp_path


READ = ["--value", "a,b"]


def printed(capsys, *arguments):
    assert run(list(arguments)) == 0, capsys.readouterr().err
    data = json.loads(capsys.readouterr().out)
    del data["provenance"]["created"]
    return data


def parts_of(name, n, *options):
    for i in range(1, n + 1):
        where = ("--shard", f"{i}/{n}", "--output", f"part_{i}")
        assert run(["data", name, *READ, *options, *where]) == 0
    return [f"part_{i}" for i in range(1, n + 1)]


@pytest.mark.parametrize(
    ("options", "n"),
    [
        (["--time", "t", "--dt", "0.01s"], 3),
        (["--time", "t", "--dt", "0.01s", "--window", "2s"], 2),
        (["--id", "who", "--hz", "100", "--detrend", "linear"], 5),
    ],
)
def test_parts_merge_to_the_result_of_one_run(folder, capsys, options, n):
    whole = printed(capsys, "data", "*.parquet", *READ, *options, "--json")
    parts = parts_of("*.parquet", n, *options)
    for order in list(itertools.permutations(parts))[:6]:
        assert printed(capsys, "merge", *order, "--json") == whole
    assert whole["n_sequences"] == (15 if "--id" in options else 5)


def test_one_file_is_shared_out_by_recording(folder, capsys):
    parts = parts_of("r4.parquet", 2, "--id", "who")
    merged = printed(capsys, "merge", *parts, "--json")
    whole = printed(capsys, "data", "r4.parquet", *READ, "--id", "who", "--json")
    assert merged["n_sequences"] == whole["n_sequences"] == 3
    for a, b in zip(merged["profile"], whole["profile"], strict=True):
        assert a["discontinuity"] == pytest.approx(b["discontinuity"], rel=1e-11)
        assert a["low"] == pytest.approx(b["low"], rel=1e-11)


def test_a_single_series_keeps_its_name_and_says_what_differs(folder, capsys):
    parts = parts_of("r4.parquet", 2)
    err = " ".join(capsys.readouterr().err.split())
    assert "part 1/2: 1 recording from 1 of 1 file:" in err
    assert "part 2/2: 0 recordings from 1 of 1 file; there is nothing to do for this part" in err
    merged = printed(capsys, "merge", *parts, "--json")
    whole = printed(capsys, "data", "r4.parquet", *READ, "--json")
    assert merged["name"] == whole["name"] == "r4"
    rough = 1 - whole["autocorrelation"]
    assert 1 - merged["autocorrelation"] == pytest.approx(rough, rel=1e-10)
    assert merged["n_groups"] != whole["n_groups"] == 32
    assert any(f"from {merged['n_groups']} blocks at fixed places" in n for n in merged["notes"])


def test_a_merged_result_is_stored_with_its_report(folder, capsys):
    parts = parts_of("*.parquet", 2)
    assert run(["merge", *parts, "--output", "all"]) == 0
    assert "5 files with 5 recordings" in capsys.readouterr().out
    assert (folder / "all" / "report.html").is_file()
    parts_of("*.parquet", 2)  # a part may be written again
    assert run(["merge", *parts, "--fail-under", "horizon=1000"]) == 1


def test_what_is_missing_is_named(folder, capsys):
    parts_of("*.parquet", 3)
    assert run(["merge", "part_1", "part_3"]) == 2
    assert "parts are missing, got 2/3" in capsys.readouterr().err
    assert run(["merge", "part_1", "part_2", "part_2", "part_3"]) == 2
    assert "given twice" in capsys.readouterr().err
    assert run(["merge"]) == 2
    assert run(["merge", "nowhere"]) == 2
    (folder / "part_1" / "stream.json").write_text("{}")
    assert run(["merge", "part_1"]) == 2
    assert "is no part of a measurement" in capsys.readouterr().err
    for words, text in (
        (["*.parquet", "--shard", "1/9", "--output", "x"], "more parts than files"),
        (["*.parquet", "--shard", "0/3", "--output", "x"], "one of several parts"),
        (["*.parquet", "--shard", "1/2"], "written to a directory"),
        (["*.parquet", "--shard", "1/2", "--output", "x", "--json"], "--json needs a result"),
        (
            ["*.parquet", "--shard", "1/2", "--output", "x", "--json", "--fail-under", "horizon=2"],
            "--json and --fail-under need a result, which parts have once they are merged",
        ),
        (["*.nothing"], "no file fits"),
        (["*.parquet", "--windows", "auto"], "--windows needs whole recordings"),
        (
            ["*.parquet", "--shard", "1/2", "--hop", "4", "--dial", "noise=inf", "--output", "x"],
            "--hop and --dial need whole recordings",
        ),
    ):
        assert run(["data", *words]) == 2
        assert text in " ".join(capsys.readouterr().err.split())


def test_files_that_differ_are_refused(folder, capsys):
    timed = [*READ, "--time", "t", "--dt", "0.01s"]
    table(folder / "r5.parquet", 5000, step=0.02)
    assert run(["data", "*.parquet", *READ, "--time", "t"]) == 2
    assert "differs from r0.parquet in its step" in capsys.readouterr().err
    table(folder / "r5.parquet", 5000, names=("a", "c"))
    assert run(["data", "*.parquet", "--time", "t"]) == 2
    assert "differs from r0.parquet" in capsys.readouterr().err
    jitter = np.cumsum(np.random.default_rng(0).uniform(0.5, 1.5, 5000)) / 100
    table(folder / "r5.parquet", 5000, times=jitter)
    assert run(["data", "*.parquet", *timed]) == 2
    assert "irregular times" in capsys.readouterr().err


@pytest.mark.parametrize("kept", ["all", "gaps"])
def test_a_large_file_is_read_in_blocks_with_the_same_result(folder, capsys, monkeypatch, kept):
    rows = np.arange(200_000)
    if kept == "gaps":
        lost = np.concatenate([np.arange(1000, 1003), np.arange(65_530, 65_900), [150_000]])
        rows = np.delete(rows, lost)
    table(folder / "big.parquet", 200_000, keep=rows)
    words = ["data", "big.parquet", *READ, "--time", "t", "--dt", "0.01s", "--json"]
    whole = printed(capsys, *words)
    monkeypatch.setattr(blocks, "LARGE", 1000)
    streamed = printed(capsys, *words)
    assert "read in blocks" in streamed["notes"][0]
    for a, b in zip(streamed["profile"], whole["profile"], strict=True):
        assert a["discontinuity"] == pytest.approx(b["discontinuity"], rel=1e-10)
    for field in ("n_samples", "n_missing", "n_skipped", "dt", "unit", "audits", "horizon"):
        assert streamed[field] == whole[field], field
    assert streamed["event_error"] is None and whole["event_error"] is not None


def test_times_that_go_back_are_not_read_in_blocks(folder, capsys, monkeypatch):
    times = np.arange(5000) / 100
    times[3000:] -= 10
    table(folder / "reset.parquet", 5000, times=times)
    monkeypatch.setattr(blocks, "LARGE", 1000)
    whole = printed(capsys, "data", "reset.parquet", *READ, "--time", "t", "--json")
    assert whole["n_sequences"] == 2 and "blocks" not in whole["notes"][0]


@pytest.mark.slow
def test_ten_million_rows_in_a_minute_and_500_megabytes(tmp_path):
    path, n, part = tmp_path / "long.parquet", 10_000_000, 1_000_000
    x = np.cumsum(np.random.default_rng(0).standard_normal((part, 5)), axis=0)
    values = [pa.array(x[:, i]) for i in range(5)]
    names = ["time", *"abcde"]
    kinds = [pa.timestamp("ms"), *[pa.float64()] * 5]
    with pq.ParquetWriter(path, pa.schema(zip(names, kinds, strict=True))) as file:
        for i in range(0, n, part):
            times = pa.array(np.arange(i, i + part) * 10, pa.timestamp("ms"))
            file.write_table(pa.table([times, *values], names=names))
    # ru_maxrss is inherited from the process that starts this one, VmHWM is not
    code = (
        "import pathlib, re, sys, time; from timegrain.cli.main import run\n"
        "t = time.perf_counter(); status = run(sys.argv[1:])\n"
        "lines = pathlib.Path('/proc/self/status')\n"
        "used = re.search(r'VmHWM:\\s+(\\d+)', lines.read_text())[1] if lines.exists() else 0\n"
        "print(time.perf_counter() - t, int(used) / 1024, file=sys.stderr); sys.exit(status)"
    )
    words = ["data", str(path), "--time", "time", "--json"]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    seconds, megabytes = (float(v) for v in done.stderr.split()[-2:])
    assert json.loads(done.stdout)["n_samples"] == n
    assert seconds < 60
    assert megabytes < 500  # 0 where the system does not tell
