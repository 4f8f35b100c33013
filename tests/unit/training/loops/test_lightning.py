import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.training import SubsamplingPlan
from timegrain.training.loops import Timetable

pl = pytest.importorskip("pytorch_lightning", reason="the extra lightning is not installed")

from timegrain.training.loops.lightning import SubsamplingCallback  # noqa: E402

PLAN = SubsamplingPlan.parse("4:1,2:1,1:1")


class Probe(pl.LightningModule):
    """Remembers what it is fed."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        self.fed, self.shown = [], []

    def training_step(self, batch, batch_idx):
        x = batch["input_values"] if isinstance(batch, dict) else batch[0]
        self.fed.append({k: v.clone() if hasattr(v, "clone") else v for k, v in batch.items()})
        return (self.weight * x).mean()

    def validation_step(self, batch, batch_idx):
        self.shown.append(dict(batch))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1e-6)


def run(
    folder, known, *, workers=0, plan=PLAN, resume=None, epochs=None, data=None, more=(), **options
):
    model = Probe()
    collate = known.pad if data is None else None
    loader = DataLoader(
        known.examples if data is None else data,
        batch_size=2,
        collate_fn=collate,
        num_workers=workers,
        persistent_workers=workers > 0,
    )
    trainer = pl.Trainer(
        default_root_dir=str(folder),
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[SubsamplingCallback(plan, epochs=epochs, seed=4, per_step=data is None), *more],
        **({"max_epochs": 3, "enable_checkpointing": False} | options),
    )
    trainer.fit(model, loader, loader if data is None else None, ckpt_path=resume)
    return model, trainer


@pytest.mark.parametrize("workers", [0, 2])
def test_the_module_is_fed_what_each_stage_leaves(tmp_path, known, workers):
    model, _ = run(tmp_path, known, workers=workers, num_sanity_val_steps=1)
    table = Timetable(plan=PLAN, total=3, seed=4)
    assert len(model.fed) == 12
    for number, batch in enumerate(model.fed):
        epoch, i = divmod(number, 4)
        assert (
            known.check(batch, (4, 2, 1)[epoch], table, epoch, i)
            == [[0, 1], [2, 3], [4, 5], [6]][i]
        )
    assert len(model.shown) == 13
    assert not any("tau" in batch for batch in model.shown)
    assert {b["input_values"].shape[1] for b in model.shown} == {23, 20, 11, 14}


def test_stages_over_steps_change_with_the_optimisers_steps(tmp_path, known):
    options = {"max_epochs": -1, "max_steps": 4, "accumulate_grad_batches": 2}
    model, _ = run(tmp_path, known, **options)
    table = Timetable(plan=PLAN, total=4, unit="steps", seed=4)
    strides = [4, 4, 4, 4, 2, 2, 1, 1]
    for number, (batch, stride) in enumerate(zip(model.fed, strides, strict=True)):
        known.check(batch, stride, table, *divmod(number, 4))


def test_a_training_resumed_at_an_epoch_is_fed_the_same(tmp_path, known):
    whole, trainer = run(tmp_path, known, epochs=3, max_epochs=1)
    trainer.save_checkpoint(tmp_path / "first.ckpt")
    again, _ = run(tmp_path, known, resume=tmp_path / "first.ckpt")
    table = Timetable(plan=PLAN, total=3, seed=4)
    for number, batch in enumerate([*whole.fed, *again.fed]):
        epoch, i = divmod(number, 4)
        known.check(batch, (4, 2, 1)[epoch], table, epoch, i)
    with pytest.raises(ConfigError, match="another plan"):
        other = SubsamplingPlan.parse("2:1,1:1")
        run(tmp_path, known, plan=other, resume=tmp_path / "first.ckpt")


def test_a_training_resumed_in_mid_epoch_goes_on_at_its_stage_and_phase(tmp_path, known):
    keep = pl.callbacks.ModelCheckpoint(
        tmp_path, filename="{step}", every_n_train_steps=6, save_top_k=-1
    )
    run(tmp_path, known, more=[keep], enable_checkpointing=True)
    again, _ = run(tmp_path, known, resume=tmp_path / "step=6.ckpt")
    table = Timetable(plan=PLAN, total=3, seed=4)
    known.check(again.fed[0], 2, table, 1, 2)
    for i in range(4):
        known.check(again.fed[i - 4], 1, table, 2, i)


def test_what_cannot_be_followed_is_refused(tmp_path, known):
    with pytest.raises(LayoutError, match="a dict such as"):
        run(tmp_path, known, data=[(torch.zeros(8, 1), 0)] * 4)
    with pytest.raises(ConfigError, match=r"SubsamplingCallback\(plan, epochs=20\)"):
        run(tmp_path, known, max_epochs=-1)
    with pytest.raises(ConfigError, match="batch size"):
        SubsamplingCallback(SubsamplingPlan.parse("4:1,1:1", grow_batch=True))


@pytest.mark.parametrize("epochs", [0, -1, 2.5])
def test_epochs_that_are_none_are_named(epochs):
    with pytest.raises(
        ConfigError, match=rf"epochs is a whole number, got {epochs}, expected >= 1"
    ):
        SubsamplingCallback(PLAN, epochs=epochs)


def test_numbers_of_numpy_are_numbers():
    callback = SubsamplingCallback(PLAN, epochs=np.int64(3), seed=np.int64(4), along="gaps")
    assert (callback.epochs, callback.seed, callback.along) == (3, 4, ("gaps",))
