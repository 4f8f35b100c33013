"""The Trainer of Lightning, with samples at times of their own.

    pip install 'timegrain[lightning]'
    python examples/lightning_module.py --epochs 8 --workers 2

One callback thins the training batches, which are dicts. Lengths and times follow, and `tau` says
how much longer a step is than at full resolution. Validation sees all samples.
"""

import argparse

import pytorch_lightning as pl
import torch
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

import timegrain as tg
from timegrain.training.loops.lightning import SubsamplingCallback


def recordings(n: int, seed: int) -> list[dict]:
    """Ramps with a bend, at uneven times; to be told is the mean slope."""
    generator = torch.Generator().manual_seed(seed)
    out = []
    for _ in range(n):
        length = int(torch.randint(60, 121, (1,), generator=generator))
        steps = 0.5 + torch.rand(length, generator=generator)
        times, slope = steps.cumsum(0) - steps[0], torch.randn(1, generator=generator)
        x = (
            slope * times / 60
            + torch.sin(times / 10)
            + 0.2 * torch.randn(length, generator=generator)
        )
        out.append({"x": x[:, None], "times": times, "y": slope})
    return out


def pad(examples: list[dict]) -> dict:
    """Make a batch of sequences of unequal lengths."""
    out = {k: pad_sequence([e[k] for e in examples], batch_first=True) for k in ("x", "times")}
    out["lengths"] = torch.tensor([len(e["x"]) for e in examples])
    out["y"] = torch.stack([e["y"] for e in examples])
    return out


class Slope(pl.LightningModule):
    """Tells the slope of a recording."""

    def __init__(self) -> None:
        super().__init__()
        sizes = {"d_input": 1, "d_output": 1, "d_model": 16, "n_layers": 1}
        self.net = tg.build_model("s4d", **sizes, head="last", seed=0)

    def forward(self, batch: dict) -> torch.Tensor:
        """Return one number a recording."""
        # each step in units of the mean step at full resolution, which is 1 here
        steps = batch["times"].diff(dim=1, prepend=batch["times"][:, :1] - batch.get("tau", 1.0))
        return self.net(batch["x"], steps.clamp(min=0.1), lengths=batch["lengths"])

    def training_step(self, batch: dict, batch_idx: int) -> torch.Tensor:
        """Return the loss of a batch as its stage leaves it."""
        return F.mse_loss(self(batch), batch["y"])

    def validation_step(self, batch: dict, batch_idx: int) -> None:
        """Note the error at full resolution."""
        self.log("error", F.mse_loss(self(batch), batch["y"]), batch_size=len(batch["y"]))

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Return what moves the weights."""
        return torch.optim.AdamW(self.parameters(), lr=0.01)


def main(arguments: list[str] | None = None) -> float:
    """Train and return the mean squared error on recordings not seen; guessing has 1."""
    parser = argparse.ArgumentParser()
    for name, default in (("--epochs", 8), ("--recordings", 100), ("--workers", 2)):
        parser.add_argument(name, type=int, default=default)
    options = parser.parse_args(arguments)

    plan = tg.SubsamplingPlan.parse("4:2,2:1,1:1")
    loaders = [
        DataLoader(recordings(n, seed), 16, collate_fn=pad, num_workers=options.workers)
        for n, seed in ((options.recordings, 0), (50, 1))
    ]
    trainer = pl.Trainer(
        max_epochs=options.epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, callbacks=[SubsamplingCallback(plan)],
    )  # fmt: skip
    trainer.fit(Slope(), *loaders)
    score = float(trainer.callback_metrics["error"])
    print(f"mean squared error {score:.2f} at full resolution; guessing has 1")
    return score


if __name__ == "__main__":
    main()
