"""One unit of the benchmark of models: a learning rate, a training, or the baseline."""

from dataclasses import asdict, dataclass, replace
from functools import lru_cache

import numpy as np

from timegrain import baseline_score, build_model, find_lr, load_task, train, transfer
from timegrain.core.errors import ModelError
from timegrain.training import evaluate
from units import fewer

TASKS = ("OSULeaf", "JapaneseVowels", "mnist-row")
MODELS = (
    *("s4", "s4d", "s5", "lru", "s6", "b2s6", "mamba", "mamba2", "mamba3"),
    *("linear_attention", "gla", "deltanet", "gated_deltanet", "transformer"),
    *("gru", "lstm", "tcn", "ckconv"),
)
BASELINE = "baseline"


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Sizes of the benchmark: every model gets the same epochs of the same cases."""

    epochs: tuple[tuple[str, int], ...] = (
        ("OSULeaf", 36),
        ("JapaneseVowels", 40),
        ("mnist-row", 6),
    )
    seeds: int = 3
    n_train: int = 512
    n_test: int = 400
    n_watch: int = 16
    d_model: int = 32
    n_layers: int = 2
    batch_size: int = 16
    rates: tuple[float, ...] = (0.003, 0.01, 0.03)
    tune_share: float = 1 / 3
    strides: tuple[int, ...] = (1, 2, 4)

    def settings(self):
        return asdict(self)

    def epochs_of(self, task):
        return dict(self.epochs)[task]


SIZES = Sizes()


@dataclass(frozen=True, kw_only=True)
class Unit:
    kind: str  # "rate", "train" or "baseline"
    task: str
    model: str = ""
    seed: int = 0

    @property
    def name(self):
        parts = [self.task, self.model, self.kind, f"seed-{self.seed}" * (self.kind != "rate")]
        return "--".join(part for part in parts if part)


def units_of(sizes, tasks, models):
    """Return all units in an order in which each finds what it needs, the first seed first."""
    rates = [Unit(kind="rate", task=t, model=m) for t in tasks for m in models]
    baselines = [Unit(kind=BASELINE, task=t, seed=s) for t in tasks for s in range(sizes.seeds)]
    trainings = [
        Unit(kind="train", task=t, model=m, seed=s)
        for s in range(sizes.seeds)
        for t in tasks
        for m in models
    ]
    return [*baselines, *rates, *trainings]


def needs(unit, sizes):
    """Return the units whose results a unit reads."""
    return (replace(unit, kind="rate", seed=0),) if unit.kind == "train" else ()


def carry_out(unit, sizes, found):
    """Return what a unit found as JSON values.

    Args:
        unit: What to do.
        sizes: How large.
        found: Returns the result of an earlier unit.
    """
    task = sized(unit.task, sizes)
    if unit.kind == BASELINE:
        done = baseline_score(task, seed=unit.seed)
        return {"score": done.score, "seconds": done.seconds, "trivial": done.trivial_score,
                "low": done.low, "high": done.high, "n_train": done.n_train,
                "n_test": done.n_test}  # fmt: skip
    if unit.kind == "rate":
        best = find_lr(
            network(task, unit, sizes), task, rates=sizes.rates, epochs=sizes.epochs_of(unit.task),
            epoch_share=sizes.tune_share, options={"batch_size": sizes.batch_size}, seed=0,
        )  # fmt: skip
        return {"lr": best.lr, "rates": best.rates, "scores": best.scores, "seconds": best.seconds}
    return _trained(task, unit, sizes, found(needs(unit, sizes)[0])["lr"])


@lru_cache(maxsize=2)
def sized(name, sizes):
    """Return a task with at most as many cases as the sizes say."""
    return fewer(load_task(name), sizes.n_train, sizes.n_test)


def network(task, unit, sizes):
    return build_model(
        unit.model, d_input=task.d_input, d_output=task.d_output, d_model=sizes.d_model,
        n_layers=sizes.n_layers, seed=unit.seed,
    )  # fmt: skip


def _trained(task, unit, sizes, lr):
    model = network(task, unit, sizes)
    # the test part is scored once, after the last epoch; a few cases stand for it before
    watch = replace(task, test=task.test.take(np.arange(min(len(task.test), sizes.n_watch))))
    try:
        run = train(model, watch, epochs=sizes.epochs_of(unit.task), lr=lr,
                    batch_size=sizes.batch_size, seed=unit.seed)  # fmt: skip
    except ModelError as error:
        return {"diverged": str(error), "lr": lr}
    score = evaluate(model, task)
    rows = transfer(model, task, strides=sizes.strides, told=(True,)).scores
    return {
        "score": score.score,
        "low": score.low,
        "high": score.high,
        "strides": {str(row.stride): row.score for row in rows},
        "takes_tau": model.takes_tau,
        "seconds": run.seconds,
        "n_parameters": run.n_parameters,
        "metric": run.metric,
        "lr": lr,
    }
