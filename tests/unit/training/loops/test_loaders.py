import importlib
import itertools
import sys

import pytest
import torch
from torch.utils.data import DataLoader

from timegrain.core.errors import ConfigError, LayoutError, MissingPackageError
from timegrain.training import SubsamplingPlan
from timegrain.training.loops import StepBatches, SubsamplingCollator, Timetable

PLAN = SubsamplingPlan.parse("4:1,2:1,1:1")
TABLE = Timetable(plan=PLAN, total=3, seed=5)


def loader_of(examples, collator, **options):
    return DataLoader(examples, batch_size=2, collate_fn=collator, **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_workers": 2},
        {"num_workers": 2, "persistent_workers": True, "prefetch_factor": 3},
    ],
    ids=["here", "workers", "persistent"],
)
def test_the_stage_reaches_every_worker(known, options):
    collator = SubsamplingCollator(TABLE, known.pad, per_step=True)
    loader = loader_of(known.examples, collator, **options)
    for epoch, stride in enumerate((4, 2, 1)):
        collator.set_epoch(epoch)
        rows = [known.check(b, stride, TABLE, epoch, i) for i, b in enumerate(loader)]
        assert rows == [[0, 1], [2, 3], [4, 5], [6]]


@pytest.mark.parametrize("workers", [0, 2])
def test_stages_change_between_batches_although_they_are_fetched_ahead(known, workers):
    table = Timetable(plan=PLAN, total=4, unit="steps", seed=2)
    assert table.ends == (2, 3, 4)
    collator = SubsamplingCollator(table, known.pad, per_step=True)
    loader = loader_of(known.examples, collator, num_workers=workers)
    collator.set_epoch(0, position=0, every=2)
    for i, batch in enumerate(loader):
        known.check(batch, 4, table, 0, i)
    collator.set_epoch(1, position=2, every=2)
    for i, (batch, stride) in enumerate(zip(loader, (2, 2, 1, 1), strict=True)):
        known.check(batch, stride, table, 1, i)


def test_an_epoch_that_is_entered_late_goes_on_with_the_same_phases(known):
    collator = SubsamplingCollator(TABLE, known.pad, per_step=True)
    collator.set_epoch(0, done=2)
    late = loader_of(known.examples[4:], collator, num_workers=2)
    assert [known.check(b, 4, TABLE, 0, 2 + i) for i, b in enumerate(late)] == [[4, 5], [6]]


def test_a_network_that_takes_no_tau_is_given_none(known):
    batch = SubsamplingCollator(TABLE, known.pad, tell=False, per_step=True)(known.examples[:2])
    assert "tau" not in batch
    assert batch["input_values"].shape[1] < known.lengths[0]


@pytest.mark.parametrize("workers", [0, 2])
def test_steps_of_a_walk_are_dealt_to_workers_whole(known, workers):
    def walk():
        return PLAN.walk(7, time=max(known.lengths), epochs=3, batch_size=3, seed=1)

    def batches(steps):
        data = StepBatches(known.examples, PLAN, collate=known.pad, per_step=True)
        return list(DataLoader(data, sampler=steps, batch_size=None, num_workers=workers))

    seen = batches(walk())
    assert [len(step.index) for step, _ in seen] == [3, 3, 1] * 3
    for step, batch in seen:
        stride = step.settings.stride
        for row, i in enumerate(step.index.tolist()):
            # a walk draws its phase for the longest sequence of all
            longest = max(known.lengths[j] for j in step.index.tolist())
            offset = min(step.offset, longest - 1)
            kept = list(range(offset, known.lengths[i], stride)) or [known.lengths[i] - 1]
            n = len(kept)
            assert batch["input_values"][row, :n, 0].tolist() == [100.0 * i + t for t in kept]
            assert batch["labels"][row, :n].tolist() == [1000 * i + t for t in kept]
            assert bool((batch["labels"][row, n:] == -100).all())
        assert batch["tau"] == stride
    late = batches(itertools.islice(walk(), 4, None))
    for (_, again), (_, first) in zip(late, seen[4:], strict=True):
        assert torch.equal(again["input_values"], first["input_values"])


def test_an_embedding_is_not_entered_by_a_loader(known):
    plan = SubsamplingPlan.parse("4:1,1:1", place="embedding")
    with pytest.raises(ConfigError, match="place='input'"):
        StepBatches(known.examples, plan)


def test_a_missing_package_is_named_with_its_pip_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    monkeypatch.delitem(sys.modules, "transformers.trainer_callback", raising=False)
    monkeypatch.delitem(sys.modules, "timegrain.training.loops.huggingface", raising=False)
    with pytest.raises(MissingPackageError, match=r"pip install 'timegrain\[hf\]'"):
        importlib.import_module("timegrain.training.loops.huggingface")
    monkeypatch.setitem(sys.modules, "pytorch_lightning", None)
    monkeypatch.delitem(sys.modules, "lightning.pytorch", raising=False)
    monkeypatch.delitem(sys.modules, "timegrain.training.loops.lightning", raising=False)
    with pytest.raises(MissingPackageError, match=r"\(or pip install pytorch-lightning\)"):
        importlib.import_module("timegrain.training.loops.lightning")


def test_a_second_loop_over_a_walk_is_an_error():
    data = [(torch.zeros(8, 1), 0)] * 5
    walk = PLAN.walk(5, time=8, epochs=3, batch_size=4)
    loader = DataLoader(StepBatches(data, PLAN), sampler=walk, batch_size=None)
    assert len(list(loader)) == len(loader) == 6
    with pytest.raises(ConfigError, match="walked to its end"):
        list(loader)
    # a position at the end that was loaded has nothing left to do
    state = walk.state_dict()
    walk.load_state_dict(state)
    assert list(walk) == []


@pytest.mark.parametrize(
    ("other", "text"),
    [
        ({"plan": SubsamplingPlan.parse("2:1,1:1")}, "the walk is not of this plan"),
        ({"plan": SubsamplingPlan.none()}, "the walk is not of this plan"),
        ({"n": 9}, r"sequence \d of 5"),
        ({"time": 6}, "time=6 for 8 samples"),
    ],
)
def test_a_walk_that_is_not_of_these_data_is_refused(other, text):
    data = [{"x": torch.zeros(8, 1), "y": 0}] * 5
    chosen = {"plan": PLAN, "n": 5, "time": 8} | other
    walk = PLAN.walk(chosen["n"], time=chosen["time"], epochs=3, batch_size=9)
    batches = StepBatches(data, chosen["plan"])
    with pytest.raises(ConfigError, match=text):
        list(DataLoader(batches, sampler=walk, batch_size=None))
    with pytest.raises(ConfigError, match="steps of a walk"):
        batches[0]
    with pytest.raises(ConfigError, match=r"SubsamplingPlan\.parse"):
        StepBatches(data, "4:1,1:1")


def test_examples_of_several_lengths_want_a_collate_function():
    data, plan = [{"x": torch.zeros(n, 1)} for n in (8, 9)], SubsamplingPlan.parse("2:1")
    walk = plan.walk(2, time=9, epochs=1, batch_size=2)
    with pytest.raises(LayoutError, match=r"cannot be stacked[\s\S]*pads them and gives their len"):
        StepBatches(data, plan)[next(walk)]
    with pytest.raises(LayoutError, match="cannot be stacked"):
        SubsamplingCollator(Timetable(plan=plan, total=1))(data)
    with pytest.raises(ConfigError, match="by their numbers, got None"):
        StepBatches(None, plan)


def test_one_name_along_time_may_be_said_by_itself(known):
    batches = StepBatches(known.examples, PLAN, along="gaps")
    assert batches.along == SubsamplingCollator(TABLE, along="gaps").along == ("gaps",)


def test_a_collator_of_a_plan_alone_is_refused():
    with pytest.raises(ConfigError, match=r"Timetable\(plan=plan, total=epochs\)"):
        SubsamplingCollator(PLAN)
