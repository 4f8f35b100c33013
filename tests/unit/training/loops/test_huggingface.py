import math

import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError
from timegrain.training import SubsamplingPlan
from timegrain.training.loops import Timetable

transformers = pytest.importorskip("transformers", reason="the extra hf is not installed")
pytest.importorskip("accelerate", reason="the extra hf is not installed")

from timegrain.training.loops.huggingface import SubsamplingCallback  # noqa: E402

PLAN = SubsamplingPlan.parse("4:1,2:1,1:1")


class Probe(nn.Module):
    """Remembers what it is fed."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        self.fed, self.shown = [], []

    def forward(self, input_values, attention_mask=None, times=None, labels=None, tau=1.0):
        batch = {
            "input_values": input_values.clone(),
            "attention_mask": attention_mask,
            "times": times,
            "labels": labels,
            "tau": tau,
        }
        (self.fed if self.training else self.shown).append(batch)
        return {"loss": (self.weight * input_values).mean(), "logits": labels}


class Untold(Probe):
    def forward(self, input_values, attention_mask=None, times=None, labels=None, **more):
        assert "tau" not in more
        return super().forward(input_values, attention_mask, times, labels)


class Stream(torch.utils.data.IterableDataset):
    def __init__(self, examples):
        self.examples = examples

    def __iter__(self):
        return iter(self.examples)


class SizedStream(Stream):
    def __len__(self):
        return len(self.examples)


def run(folder, known, *, model=None, resume=None, plan=PLAN, data=None, **options):
    chosen = {"num_train_epochs": 3, "save_strategy": "no", "seed": 11} | options
    model = Probe() if model is None else model
    args = transformers.TrainingArguments(
        output_dir=str(folder),
        per_device_train_batch_size=2,
        per_device_eval_batch_size=4,
        report_to=[],
        logging_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
        dataloader_pin_memory=False,
        **chosen,
    )
    trainer = transformers.Trainer(
        model=model,
        args=args,
        train_dataset=known.examples if data is None else data,
        eval_dataset=known.examples,
        data_collator=known.pad,
        callbacks=[SubsamplingCallback(plan, seed=4, per_step=True)],
    )
    trainer.train(resume_from_checkpoint=resume)
    return model


@pytest.mark.parametrize("workers", [0, 2])
def test_the_network_is_fed_what_each_stage_leaves(tmp_path, known, workers):
    model = run(tmp_path, known, dataloader_num_workers=workers, eval_strategy="epoch")
    table = Timetable(plan=PLAN, total=3, seed=4)
    assert len(model.fed) == 12
    for number, batch in enumerate(model.fed):
        epoch, i = divmod(number, 4)
        rows = known.check(batch, (4, 2, 1)[epoch], table, epoch, i)
        assert len(rows) == (2 if i < 3 else 1)
    # evaluation after each epoch sees all samples, whatever the stage
    assert [b["tau"] for b in model.shown] == [1.0] * 6
    assert {b["input_values"].shape[1] for b in model.shown} == {23, 14}


def test_stages_over_steps_change_with_the_optimisers_steps(tmp_path, known):
    model = run(tmp_path, known, max_steps=4, gradient_accumulation_steps=2, num_train_epochs=1)
    table = Timetable(plan=PLAN, total=4, unit="steps", seed=4)
    assert table.ends == (2, 3, 4)
    strides = [4, 4, 4, 4, 2, 2, 1, 1]
    for number, (batch, stride) in enumerate(zip(model.fed, strides, strict=True)):
        known.check(batch, stride, table, *divmod(number, 4))


@pytest.mark.parametrize("workers", [0, 2])
def test_a_training_resumed_in_mid_epoch_is_fed_the_same(tmp_path, known, workers):
    options = {"save_strategy": "steps", "save_steps": 3, "dataloader_num_workers": workers}
    whole = run(tmp_path, known, **options)
    again = run(tmp_path, known, resume=str(tmp_path / "checkpoint-6"), **options)
    assert len(again.fed) == 6
    for first, second in zip(whole.fed[6:], again.fed, strict=True):
        for name in ("input_values", "attention_mask", "times", "labels"):
            assert torch.equal(first[name], second[name]), name
        assert first["tau"] == second["tau"]
    other = SubsamplingPlan.parse("2:1,1:1")
    with pytest.raises(ConfigError, match="another plan"):
        run(tmp_path, known, resume=str(tmp_path / "checkpoint-6"), plan=other, **options)


@pytest.mark.parametrize(
    ("kind", "workers", "resumed"),
    [(Stream, 0, (1, 3, 5)), (Stream, 2, (2,)), (SizedStream, 0, (1, 5))],
)
def test_a_training_on_a_stream_is_resumed_at_its_stage_and_phase(
    tmp_path, known, kind, workers, resumed
):
    data = kind(known.examples)
    options = {"save_strategy": "steps", "save_steps": 1, "dataloader_num_workers": workers}
    options |= {"max_steps": 6} if kind is Stream else {}
    whole = run(tmp_path, known, data=data, **options)
    steps = len(whole.fed)
    assert steps == (6 if kind is Stream else 12)
    for done in resumed:
        resume = str(tmp_path / f"checkpoint-{done}")
        again = run(tmp_path, known, data=data, resume=resume, **options)
        assert [b["tau"] for b in again.fed] == [b["tau"] for b in whole.fed[done:]]
        if done == 5 and kind is Stream:
            continue  # of a second pass the Trainer skips nothing, so other examples come
        for first, second in zip(whole.fed[done:], again.fed, strict=True):
            assert torch.equal(first["input_values"], second["input_values"])


def test_a_stream_resumed_without_a_skip_goes_on_at_its_stage(tmp_path, known):
    data, options = Stream(known.examples), {"max_steps": 6, "ignore_data_skip": True}
    run(tmp_path, known, data=data, save_strategy="steps", save_steps=2, **options)
    again = run(tmp_path, known, data=data, resume=str(tmp_path / "checkpoint-2"), **options)
    assert [b["tau"] for b in again.fed] == [2.0, 2.0, 1.0, 1.0]


def test_a_trainer_that_restores_its_callbacks_goes_on(tmp_path, known):
    options = {"save_strategy": "steps", "save_steps": 6}
    options["restore_callback_states_from_checkpoint"] = True
    whole = run(tmp_path, known, **options)
    again = run(tmp_path, known, resume=str(tmp_path / "checkpoint-6"), **options)
    for first, second in zip(whole.fed[6:], again.fed, strict=True):
        assert torch.equal(first["input_values"], second["input_values"])
        assert first["tau"] == second["tau"]


def test_batches_that_one_process_joins_for_all_are_refused():
    from types import SimpleNamespace

    from accelerate.data_loader import DataLoaderDispatcher

    loader = DataLoaderDispatcher.__new__(DataLoaderDispatcher)
    with pytest.raises(ConfigError, match="dispatch_batches"):
        SubsamplingCallback(PLAN).on_train_begin(
            SimpleNamespace(world_size=2), None, None, model=None, train_dataloader=loader
        )


def test_a_network_that_takes_no_tau_is_said_so(tmp_path, known):
    with pytest.warns(UserWarning, match=r"forward\(\) of Untold has no parameter tau"):
        model = run(tmp_path, known, model=Untold())
    assert model.fed[0]["input_values"].shape[1] <= math.ceil(23 / 4)


def test_its_state_is_json_and_makes_it_again():
    import json

    callback = SubsamplingCallback(PLAN, seed=4, per_step=True, along=["gaps"])
    again = SubsamplingCallback.from_state(json.loads(json.dumps(callback.state())))
    assert (again.plan, again.seed, again.per_step, again.along) == (PLAN, 4, True, ("gaps",))
    # transformers makes it by itself, from what it has stored
    again = SubsamplingCallback(**json.loads(json.dumps(callback.state()["args"])))
    assert again.state() == callback.state()


def test_plans_that_grow_batches_are_refused():
    with pytest.raises(ConfigError, match="batch size"):
        SubsamplingCallback(SubsamplingPlan.parse("4:1,1:1", grow_batch=True))
