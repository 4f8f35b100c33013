"""Kills short trainings at random instants and resumes them; run by test_resume.py.

A process of its own, which has torch imported, uses no thread beside its own, and forks one child
a training: nothing is imported again. Prints what happened as JSON.
"""

import hashlib
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np
import torch

from timegrain.data.dataset import Dataset
from timegrain.data.tasks import make_task
from timegrain.models.build import build_model
from timegrain.training.loop import train


def make():
    drawn = np.random.default_rng(0)
    lengths = drawn.integers(2, 13, 30)
    lengths[0] = 12
    sign = np.resize([1.0, -1.0], 30)
    data = Dataset(
        name="levels",
        sequences=tuple(s + drawn.normal(size=(n, 1)) for s, n in zip(sign, lengths, strict=True)),
        labels=(sign > 0).astype(np.int64),
        class_names=("low", "high"),
        n_train=17,
        channel_names=("level",),
        dt=0.01,
        unit="s",
    )
    return make_task(data)


def training(task, place, every, resume):
    """Train, and write what came of it; runs in a child."""
    net = build_model("gru", d_input=1, d_output=2, d_model=4, n_layers=1, dropout=0.4, seed=1)
    options = {} if place is None else {"snapshots": place / "kept", "snapshot_every": every}
    run = train(net, task, stages="4:1,2:1,1:2", batch_size=6, seed=2, resume=resume, **options)
    weights = b"".join(v.numpy().tobytes() for v in net.state_dict().values())
    made = {
        "weights": hashlib.sha256(weights).hexdigest(),
        "history": [[row.epoch, row.stride, row.train_loss, row.score] for row in run.history],
        "score": [run.score, run.low, run.high, run.correct],
    }
    return made, [note for note in run.notes if "esume" in note]


def begin(task, place, *, every=0.0, resume=True):
    """Fork a child that trains, and return its number."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        made, notes = training(task, place, every, resume)
        (place / "made.json").write_text(json.dumps([made, notes]))
        status = 0
    finally:
        os._exit(status)


def finished(child):
    """Return whether a child came to its end; False where it was killed."""
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status not in (0, -signal.SIGKILL):
        raise SystemExit(f"a training failed with status {status}")
    return status == 0


def kill(task, place, seconds, **options):
    """Start or resume a training, kill it after a time, and say when that was."""
    (place / "made.json").unlink(missing_ok=True)
    child = begin(task, place, **options)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    if finished(child):
        return "too late"
    return "while writing" if list((place / "kept").glob(".*")) else "between"


def result(task, place, every):
    """Resume to the end and return what came of it."""
    if not finished(begin(task, place, every=every)):
        raise SystemExit("nobody killed this one")
    return json.loads((place / "made.json").read_text())


def main(folder, number):
    draw, task = random.Random(0), make()
    torch.set_num_threads(1)
    training(task, None, 0.0, False)  # what is imported and compiled once, children need not
    times = []
    for i in range(3):
        (whole := folder / f"whole{i}").mkdir()
        began = time.perf_counter()
        expected = result(task, whole, 0.0)[0]
        times.append(time.perf_counter() - began)
    kills, made = [], []
    while sum(k != "too late" for k in kills) < number:
        (place := folder / f"training{len(made)}").mkdir()
        every = draw.choice([0.0, 0.0, 0.004])
        # one is killed once, anywhere; the next again and again, up to its end
        for _ in range(1 if len(made) % 2 else 9):
            share = draw.uniform(0.1, 0.9) if len(made) % 2 else draw.uniform(0.1, 0.6)
            kills.append(kill(task, place, share * min(times), every=every))
            if kills[-1] == "too late":
                break
        made.append(result(task, place, every))
    print(json.dumps({"expected": expected, "kills": kills, "made": made}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
