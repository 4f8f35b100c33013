"""A loop of your own in plain torch: coarse stages first, two loader processes, resumable.

    python examples/plain_torch.py --epochs 12 --workers 2

Each step of the plan's walk says which sequences, at which stride and phase, and at which share of
the learning rate. Steps go through the DataLoader, so a worker knows all that it has to.
"""

import argparse
import itertools
import math
from pathlib import Path

import torch
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

import timegrain as tg
from timegrain.training import parameter_groups
from timegrain.training.loops import StepBatches


def recordings(n: int, seed: int) -> list[dict]:
    """Noisy oscillations of 100 to 200 samples; the label is which of two pitches they have."""
    generator = torch.Generator().manual_seed(seed)
    out = []
    for i in range(n):
        length = int(torch.randint(100, 201, (1,), generator=generator))
        phase = 2 * math.pi * torch.rand(1, generator=generator)
        x = torch.sin((0.1, 0.16)[i % 2] * torch.arange(length) + phase)
        x += 0.5 * torch.randn(length, generator=generator)
        out.append({"x": x[:, None], "y": i % 2})
    return out


def pad(examples: list[dict]) -> dict:
    """Make a batch of sequences of unequal lengths."""
    return {
        "x": pad_sequence([e["x"] for e in examples], batch_first=True),
        "lengths": torch.tensor([len(e["x"]) for e in examples]),
        "y": torch.tensor([e["y"] for e in examples]),
    }


def accuracy(model: torch.nn.Module, data: list[dict]) -> float:
    """Score at full resolution."""
    model.eval()
    batch = pad(data)
    with torch.no_grad():
        out = model(batch["x"], lengths=batch["lengths"])
    return float((out.argmax(1) == batch["y"]).float().mean())


def main(arguments: list[str] | None = None) -> float:
    """Train and return the accuracy on recordings not seen."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--recordings", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--resume", type=Path, help="a file, written at each epoch's end")
    options = parser.parse_args(arguments)

    data, test = recordings(options.recordings, seed=0), recordings(100, seed=1)
    plan = tg.SubsamplingPlan.parse("4:2,2:1,1:1")
    model = tg.build_model("s4d", d_input=1, d_output=2, d_model=16, n_layers=1, seed=0)
    groups = parameter_groups(model, lr=0.01, dynamics_lr=0.001, weight_decay=0.01)
    rates = [group["lr"] for group in groups]
    optimiser = torch.optim.AdamW(groups)
    done = 0
    if options.resume and options.resume.exists():
        state = torch.load(options.resume, weights_only=True)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        done = state["done"]

    walk = plan.walk(len(data), time=200, epochs=options.epochs, batch_size=16, seed=0)
    steps = itertools.islice(walk, done, None)
    batches = StepBatches(data, plan, collate=pad)
    loader = DataLoader(batches, sampler=steps, batch_size=None, num_workers=options.workers)
    epoch = -1
    for step, batch in loader:
        if options.resume and step.epoch > epoch >= 0:
            state = {"model": model.state_dict(), "optimiser": optimiser.state_dict()}
            torch.save({**state, "done": step.number}, options.resume)
        epoch = step.epoch
        model.train()
        for group, rate in zip(optimiser.param_groups, rates, strict=True):
            group["lr"] = rate * step.lr_factor
        optimiser.zero_grad()
        out = model(batch["x"], batch["tau"], lengths=batch["lengths"])
        F.cross_entropy(out, batch["y"]).backward()
        optimiser.step()
    print(f"accuracy {(score := accuracy(model, test)):.2f} on recordings it has not seen")
    return score


if __name__ == "__main__":
    main()
