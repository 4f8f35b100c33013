"""One unit of the benchmark of subsampling: a rate, a plan, or a training."""

import math
import time
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch

from subsampling_clock import Clock
from subsampling_presets import MODELS, OPTIONS, Preset
from timegrain import SubsamplingPlan, build_model, find_lr, load_task, subsampling_plan, train
from timegrain.core.errors import ModelError
from timegrain.training import Batch, evaluate
from timegrain.training.objective import Objective
from timegrain.training.optimise import cosine, make_optimiser
from timegrain.training.score import make_batch, score_batch
from timegrain.training.trainer.mover import Mover
from units import fewer

OWN = ("full", "auto", "auto-third")
RIVALS = ("two-stages", "length-warm-up")
ARMS = OWN + RIVALS
# what the plan could do otherwise: for S4D, on fewer seeds
CHOICES = ("auto-restart", "auto-untold", "auto-equal-epochs")


@dataclass(frozen=True, kw_only=True)
class Unit:
    kind: str  # "plan", "rate", "cost" or an arm
    task: str
    model: str = ""
    seed: int = 0

    @property
    def name(self):
        trains = self.kind in ARMS + CHOICES
        parts = [self.task, self.model, self.kind, f"seed-{self.seed}" * trains]
        return "--".join(part for part in parts if part)


def units_of(preset: Preset, tasks, models):
    """Return all units in an order in which each finds what it needs, the first seed first."""
    units = {}
    for model in models:
        for task in tasks:
            units[plan_of(task, model, preset)] = None
            units[Unit(kind="rate", task=task, model=model)] = None
            units[Unit(kind="cost", task=task, model=model)] = None
            for seed in range(preset.seeds[model]):
                arms = OWN + RIVALS * (seed < preset.rival_seeds)
                arms += CHOICES * (model == "s4d" and seed < preset.choice_seeds)
                units |= {Unit(kind=arm, task=task, model=model, seed=seed): None for arm in arms}
    return list(units)


def needs(unit, preset):
    """Return the units whose results a unit reads."""
    if unit.kind in ("plan", "rate"):
        return ()
    plan = plan_of(unit.task, unit.model, preset)
    if unit.kind == "cost":
        return (plan,)
    rate, cost = replace(unit, kind="rate", seed=0), replace(unit, kind="cost", seed=0)
    # where the plan declines, the arm is the baseline
    full = (replace(unit, kind="full"),) if unit.kind.startswith("auto") else ()
    return (plan, rate, cost, *full)


def plan_of(task, model, preset):
    """Return the unit that makes the plan; the GRU has its own where it has fewer cases."""
    own = model == "gru" and preset.n_train_gru != preset.n_train
    return Unit(kind="plan", task=task, model=model if own else "")


def carry_out(unit: Unit, preset: Preset, found):
    """Return what a unit found as JSON values.

    Args:
        unit: What to do.
        preset: The sizes.
        found: Returns the result of an earlier unit.
    """
    task = sized(unit.task, unit.model, preset)
    if unit.kind == "plan":
        return make_plan(task)
    if unit.kind == "rate":
        return choose_rate(task, unit, preset)
    plan = found(plan_of(unit.task, unit.model, preset))
    if unit.kind == "cost":
        return measure_cost(task, unit, preset, plan["plan"])
    lr = found(Unit(kind="rate", task=unit.task, model=unit.model))["lr"]
    cost = found(Unit(kind="cost", task=unit.task, model=unit.model))
    if unit.kind.startswith("auto") and not plan["subsample"]:
        # full resolution is what is advised: the same training, bit for bit
        same = found(Unit(kind="full", task=unit.task, model=unit.model, seed=unit.seed))
        return {**same, "declined": True}
    try:
        return run_arm(unit, task, preset, lr, plan["plan"], Cost(cost["strides"], cost["shares"]))
    except ModelError as error:
        return {"diverged": str(error), "lr": lr}


@lru_cache(maxsize=2)
def sized(name, model, preset: Preset):
    """Return a task with at most as many cases as the preset has."""
    n_train = preset.n_train_gru if model == "gru" else preset.n_train
    return fewer(load_task(name), n_train, preset.n_test)


def make_plan(task):
    started = time.perf_counter()
    advice = subsampling_plan(task)
    return {
        "plan": advice.plan.state_dict(),
        "text": str(advice.plan),
        "subsample": advice.subsample,
        "coarsest": advice.coarsest,
        "rough": advice.rough,
        "retention": [[row.stride, row.retention, row.retention_low] for row in advice.retention],
        "sentences": list(advice.sentences),
        "seconds": time.perf_counter() - started,
        "n_cases": advice.n_cases,
    }


def choose_rate(task, unit, preset):
    """Return the rate with the best score on a held-out share of the training part, seed 0."""
    found = find_lr(
        network(task, unit, preset), task, rates=preset.rates, epochs=epochs_of(preset, unit),
        epoch_share=preset.tune_share, options={"batch_size": preset.batch_size}, seed=unit.seed,
    )  # fmt: skip
    return {"lr": found.lr, "rates": found.rates, "scores": found.scores, "seconds": found.seconds}


class Cost:
    """Seconds of an epoch that sees a share of the samples, over those of one that sees all."""

    def __init__(self, strides, shares):
        seen = [1 / k for k in strides]
        self.seen, self.shares = seen[::-1], shares[::-1]

    def __call__(self, seen):
        return float(np.interp(seen, self.seen, self.shares))


def measure_cost(task, unit, preset, plan_state):
    """Return what epochs at each stride cost, from a few batches: the quickest of three passes."""
    coarsest = max(max(stage["stride"] for stage in plan_state["stages"]), preset.two_stages)
    coarsest = max(coarsest, 8)  # where the warm-up of the length begins
    strides = [k for k in (1, 2, 4, 8, 16, 32, 64) if k <= coarsest]
    few = np.arange(min(len(task.train), 8 * preset.batch_size))
    tested = np.arange(min(16, len(task.test)))
    small = replace(task, train=task.train.take(few), test=task.test.take(tested))
    strides = [k for k in strides if -(-int(small.train.lengths.max()) // k) >= 3]
    seconds = []
    for k in strides:
        model = network(task, unit, preset)
        size = preset.batch_size
        _, spent, _ = timed(model, small, stages=((k, 3),), batch_size=size, lr=1e-4)
        seconds.append(float(np.diff([0.0, *spent]).min()))
    shares = [s / seconds[0] for s in seconds]
    return {"strides": strides, "shares": shares, "seconds": seconds, "n": len(few)}


def timed(model, task, **words):
    """Train and return the run, processor seconds after each epoch, and wall-clock seconds."""
    clock, spent = Clock(model), []
    run = train(model, task, on_epoch=lambda row, left: spent.append(clock.processor), **words)
    return run, spent, clock.wall


def epochs_of(preset, unit):
    return preset.epochs[unit.task][MODELS.index(unit.model)]


def network(task, unit, preset):
    return build_model(
        unit.model, d_input=task.d_input, d_output=task.d_output, d_model=preset.d_model,
        n_layers=preset.n_layers, seed=unit.seed, **OPTIONS[unit.model],
    )  # fmt: skip


def _watching(task, preset):
    """Return the task with the few test cases that are scored after every epoch."""
    return replace(task, test=task.test.take(np.arange(min(len(task.test), preset.n_watch))))


def run_arm(unit, task, preset, lr, plan_state, cost):
    """Train as an arm says, for about as long as the baseline, by what an epoch costs."""
    budget = float(epochs_of(preset, unit))
    model = network(task, unit, preset)
    watch = _watching(task, preset)
    options = {"lr": lr, "batch_size": preset.batch_size, "seed": unit.seed}
    if unit.kind == "length-warm-up":
        history, text, wall = length_warm_up(model, watch, budget, cost, **options)
    else:
        auto = SubsamplingPlan.load_state_dict(plan_state)
        plan = {
            "full": lambda: SubsamplingPlan.none(),
            "auto": lambda: auto,
            "auto-third": lambda: auto,
            "auto-restart": lambda: replace(auto, lr_policy="restart"),
            "auto-untold": lambda: replace(auto, stages=tuple(untold(s) for s in auto.stages)),
            "auto-equal-epochs": lambda: replace(auto, shares="epochs"),
            "two-stages": lambda: SubsamplingPlan.of([(preset.two_stages, 1), (1, 1)]),
        }[unit.kind]()
        share = 1 / preset.third if unit.kind == "auto-third" else 1
        epochs = within(plan, share * budget, cost)
        run, spent, wall = timed(model, watch, plan=plan, epochs=epochs, **options)
        samples = np.cumsum([1 / row.stride for row in run.history])
        history = [
            [seconds, float(seen), row.score]
            for seconds, seen, row in zip(spent, samples, run.history, strict=True)
        ]
        text = ",".join(f"{row.stride}:{row.epochs}" for row in run.stages)
    score = evaluate(model, task)
    return {
        "stages": text,
        "lr": lr,
        "metric": task.metric,
        "trivial": task.trivial_score,
        "n_train": len(task.train),
        "n_test": len(task.test),
        "score": score.score,
        "low": score.low,
        "high": score.high,
        "seconds": history[-1][0],
        "wall": wall,
        "samples": history[-1][1],
        "history": history,
    }


def untold(stage):
    return replace(stage, tau=1.0)


def within(plan, budget, cost):
    """Return the most epochs that cost no more than `budget` full ones, at least one a stage."""
    epochs = len(plan.stages)
    while sum(r.epochs * cost(1 / r.stride) for r in plan.epochs(epochs + 1)) <= budget + 1e-9:
        epochs += 1
    return epochs


def warm_up_lengths(epochs):
    """Return the share of each sequence seen in each epoch: from an eighth, all from half-way on.

    Source:
        Li, Zhang, He, The Stability-Efficiency Dilemma: Investigating Sequence Length Warmup for
        Training GPT Models (NeurIPS 2022): the length grows linearly, by truncation.
    """
    return [min(1 / 8 + 7 / 8 * e / max(epochs / 2, 1), 1.0) for e in range(epochs)]


def length_warm_up(model, task, budget, cost, *, lr, batch_size, seed):
    """Train on the first samples of each sequence, more of them in every epoch."""
    epochs = 1
    while sum(cost(share) for share in warm_up_lengths(epochs + 1)) <= budget + 1e-9:
        epochs += 1
    objective = Objective.of(task)
    data, watch = make_batch(task.train, objective), make_batch(task.test, objective)
    optimiser = make_optimiser(model, lr=lr, dynamics_lr=1e-3, weight_decay=0.01)
    mover = Mover(optimiser, 1.0)
    total = epochs * math.ceil(len(data) / batch_size)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, cosine(total))
    random = torch.Generator().manual_seed(seed)
    longest, seen, history, clock = data.x.shape[1], 0.0, [], Clock(model)
    _warm(model, data, objective, optimiser)
    for share in warm_up_lengths(epochs):
        length = max(math.ceil(share * longest), 2)
        model.train()
        for index in torch.randperm(len(data), generator=random).split(batch_size):
            batch = truncated(data.take(index), length)
            mover.begin([group["lr"] for group in optimiser.param_groups])
            loss = objective.loss(model(batch.x, 1.0, lengths=batch.lengths), batch)
            if not torch.isfinite(loss):
                raise ModelError("the training diverged", got=f"loss {loss.item()}")
            loss.backward()
            mover.move()
            schedule.step()
        seen += share
        score = score_batch(model, watch, objective, tau=1.0).score
        history.append([clock.processor, seen, score])
    model.eval()
    text = f"{epochs} epochs, lengths {max(longest // 8, 2)} to {longest}"
    return history, text, clock.wall


def _warm(model, data, objective, optimiser):
    batch = data.take(torch.arange(2))
    objective.loss(model(batch.x, 1.0, lengths=batch.lengths), batch).backward()
    optimiser.zero_grad()


def truncated(batch, length):
    lengths = None if batch.lengths is None else batch.lengths.clamp(max=length)
    return Batch(x=batch.x[:, :length], y=batch.y, lengths=lengths)
