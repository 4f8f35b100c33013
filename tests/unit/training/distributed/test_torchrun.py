"""Two processes train as one does, and resume."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from timegrain.cli.main import run

BATCH = 5


def write_task(path):
    """Ragged sequences of two levels."""
    random = np.random.default_rng(0)
    lines = ["@problemname levels", "@univariate true", "@equallength false",
             "@classlabel true low high", "@data"]  # fmt: skip
    for i in range(32):
        n = int(random.integers(2, 25))
        values = random.normal(size=n) + i % 2
        lines.append(",".join(f"{v:.4f}" for v in values) + f":{('low', 'high')[i % 2]}")
    path.write_text("\n".join(lines) + "\n")


def test_two_processes_train_as_one_does(tmp_path, capsys):
    file = tmp_path / "levels.ts"
    write_task(file)
    command = ["train", "s4d,gru", str(file), "--stages", "2:1,1:1", "--d-model", "4",
               "--layers", "1", "--batch-size", str(BATCH), "--strides", "1", "--json"]  # fmt: skip
    assert run(command) == 0
    alone = [r for r in json.loads(capsys.readouterr().out) if "history" in r]
    # the last batch is of one sequence, so one process has none
    assert {r["n_train"] % BATCH for r in alone} == {1}
    script = Path(__file__).with_name("processes.py")
    words = [json.dumps(command), str(file), str(tmp_path)]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    done = subprocess.run(
        [*torchrun, script, *words],
        env=os.environ | {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # one JSON alone: the second process says nothing
    together = [r for r in json.loads(done.stdout) if "history" in r]
    assert [r["model"]["name"] for r in together] == ["s4d", "gru"]
    for one, two in zip(alone, together, strict=True):
        for a, b in zip(one["history"], two["history"], strict=True):
            assert b["train_loss"] == pytest.approx(a["train_loss"], abs=1e-6)
        assert two["score"] == pytest.approx(one["score"], abs=1e-6)
        assert any(note.startswith("Trained by 2 processes") for note in two["notes"])

    found = json.loads((tmp_path / "told.json").read_text())
    (same, called, loss), (same_too, called_too, loss_too) = found["told"]
    assert (same, same_too) == (1, 1)
    assert (called, called_too) == (2, 0)
    assert loss == loss_too
    assert any(note.startswith("Resumed once after step 4 ") for note in found["notes"])
