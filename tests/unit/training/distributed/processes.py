"""What each of the processes does that `torchrun` starts in the test beside this file."""

import json
import sys
from pathlib import Path

import torch

from timegrain.cli.main import run
from timegrain.data import load_task
from timegrain.models.build import build_model
from timegrain.training import train
from timegrain.training.distributed.gradient import SharedGradient
from timegrain.training.distributed.team import Team

STOP_AT = 5


def network():
    """Of other weights in each process, until they train together."""
    torch.manual_seed(Team.of_environment().rank)
    sizes = {"d_input": 1, "d_output": 2, "d_model": 4, "n_layers": 1}
    return build_model("gru", **sizes, dropout=0.3)


class Stopped(Exception):
    """The interrupt of a training."""


def interrupted(task, **options):
    """Train until all processes are stopped before a step."""
    original = SharedGradient.__call__

    def call(self, *arguments):
        if self.number() == STOP_AT:
            raise Stopped
        return original(self, *arguments)

    SharedGradient.__call__ = call
    try:
        train(network(), task, **options)
    except Stopped:
        pass
    finally:
        SharedGradient.__call__ = original


def main(command, file, folder):
    """Run a command; then resume a training with dropout, and compare it with a whole one."""
    assert run(command) == 0
    task = load_task(file)
    options = {"stages": "2:1,1:1", "batch_size": 5}
    whole = network()
    called = []
    first = train(whole, task, on_epoch=lambda *_: called.append(1), **options)
    keep = {"snapshots": folder, "snapshot_every": 0}
    interrupted(task, **options, **keep)
    again = network()
    second = train(again, task, resume=True, **options, **keep)
    same = [torch.equal(a, b) for a, b in zip(whole.parameters(), again.parameters(), strict=True)]
    told = torch.tensor([all(same), len(called), first.history[-1].train_loss])
    everyones = Team.of_environment().gather(told)
    if Team.of_environment().leads:
        Path(folder, "told.json").write_text(
            json.dumps({"told": [t.tolist() for t in everyones], "notes": second.notes})
        )


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2], sys.argv[3])
