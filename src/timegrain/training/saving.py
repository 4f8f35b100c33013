"""What stages of a training saved: when they reached the score of full resolution."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from timegrain.training.run import TrainingRun
from timegrain.training.wording import count

CLOSE = 0.01  # a single test case more or less is no difference
_ROUNDING = 1e-9
Key = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True)
class Reach:
    """When a training first reached a score.

    Args:
        seconds: Training time until then.
        passes: Samples seen until then, over those of the training part.
    """

    seconds: float
    passes: float


@dataclass(frozen=True, kw_only=True)
class Saving:
    """Stages beside full resolution, by the first epoch within `CLOSE` of the latter's last score.

    Args:
        task: Name of the task.
        layer: Name of the layer.
        plan: The stages.
        metric: Of the scores.
        score: What full resolution ends with, the median over seeds.
        staged_score: What the stages end with, the median over seeds.
        spent: What the stages took in all, medians over seeds.
        full: When full resolution first came as near, medians over the seeds in `reached`.
        staged: When the stages first did, over the same seeds; None where none did.
        reached: Seeds in which they did.
        seeds: Seeds with both trainings.
    """

    task: str
    layer: str
    plan: str
    metric: str
    score: float
    staged_score: float
    spent: Reach
    full: Reach
    staged: Reach | None
    reached: int
    seeds: int

    def sentence(self) -> str:
        """Return both in words."""
        first = (
            f"{self.layer} on {self.task} at full resolution comes within {CLOSE:g} of its final "
            f"{self.metric} of {self.score:.3f} after {seconds_text(self.full.seconds)} of training"
        )
        if self.staged is None:
            return (
                f"{first}; the stages {self.plan} do not: they end at "
                f"{self.staged_score:.3f} after {seconds_text(self.spent.seconds)} and "
                f"{self.spent.passes / self.full.passes:.2f} of the samples."
            )
        where = ""
        if self.seeds > 1:
            where = f" (medians over {self.reached} of {count(self.seeds, 'seed')})"
        return (
            f"{first}; the stages {self.plan} do after {seconds_text(self.staged.seconds)}, "
            f"{self.time_share:.2f} of the time and {self.sample_share:.2f} of the samples{where}. "
            f"They end at {self.staged_score:.3f}."
        )

    @property
    def time_share(self) -> float:
        """Seconds of the stages over those of full resolution; NaN where they did not reach it."""
        return math.nan if self.staged is None else self.staged.seconds / self.full.seconds

    @property
    def sample_share(self) -> float:
        """Samples of the stages over those of full resolution; NaN where they did not reach it."""
        return math.nan if self.staged is None else self.staged.passes / self.full.passes


def savings(runs: Sequence[TrainingRun]) -> tuple[Saving, ...]:
    """Return what each plan saved beside full resolution, where seeds were trained both ways.

    A score is that of the test part after an epoch, at full resolution for both.

    Args:
        runs: Trainings; those of one task and network are compared, seed by seed.
    """
    full = {_same(r): r for r in runs if r.plan == "full" and r.history}
    pairs: dict[Key, list[tuple[TrainingRun, TrainingRun]]] = {}
    for run in runs:
        if run.plan != "full" and run.history and _same(run) in full:
            pairs.setdefault((run.task, run.layer, run.plan), []).append((full[_same(run)], run))
    return tuple(_saving(key, found) for key, found in pairs.items())


def reach(run: TrainingRun, score: float) -> Reach | None:
    """Return when a training first had a score after an epoch; None if it never had.

    Args:
        run: The training.
        score: The score.
    """
    passes = 0.0
    for row in run.history:
        passes += 1 / row.stride
        if row.score >= score - _ROUNDING:
            return Reach(seconds=row.seconds, passes=passes)
    return None


def passes(run: TrainingRun) -> float:
    """Return the samples that a training saw, over those of as many epochs at full resolution.

    Args:
        run: The training, of an epoch at least.
    """
    return _end(run).passes / len(run.history)


def alone_text(run: TrainingRun) -> str:
    """Return what is known of the saving of a plan with nothing at full resolution beside it.

    Args:
        run: A training in stages.
    """
    return (
        f"{run.layer} on {run.task}: the stages {run.plan} saw {passes(run):.2f} of the samples of "
        "as many epochs at full resolution; none was trained so, so that the saving in time is not "
        "known."
    )


def saving_texts(runs: Sequence[TrainingRun]) -> tuple[str, ...]:
    """Return a sentence on each plan among trainings: what it saved, or what is known of that.

    Args:
        runs: Trainings of any tasks and networks.
    """
    found = savings(runs)
    compared = {(s.task, s.layer, s.plan) for s in found}
    alone = {
        key: run
        for run in runs
        if run.plan != "full"
        and run.history
        and (key := (run.task, run.layer, run.plan)) not in compared
    }
    return (*(s.sentence() for s in found), *map(alone_text, alone.values()))


def seconds_text(seconds: float) -> str:
    """Return seconds with as many digits as matter.

    Example:
        >>> seconds_text(3.14159), seconds_text(62.8)
        ('3.1 s', '63 s')
    """
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def _same(run: TrainingRun) -> tuple[object, ...]:
    """Return what trainings that can be compared have in common."""
    network = tuple(sorted((name, repr(value)) for name, value in run.model.items()))
    said = run.provenance.parameters
    tuned = (repr(said.get("init")), said.get("tau"))
    return (run.task, run.seed, run.n_train, run.dt_trained, run.metric, network, tuned)


def _saving(key: Key, pairs: Sequence[tuple[TrainingRun, TrainingRun]]) -> Saving:
    task, layer, plan = key
    whole = [reach(full, full.score - CLOSE) or _end(full) for full, _ in pairs]
    staged = [reach(run, full.score - CLOSE) for full, run in pairs]
    done = [i for i, found in enumerate(staged) if found is not None]
    chosen = done or range(len(pairs))
    return Saving(
        task=task,
        layer=layer,
        plan=plan,
        metric=pairs[0][0].metric,
        score=median(full.score for full, _ in pairs),
        staged_score=median(run.score for _, run in pairs),
        spent=_middle([_end(run) for _, run in pairs]),
        full=_middle([whole[i] for i in chosen]),
        staged=_middle([staged[i] for i in done]) if done else None,
        reached=len(done),
        seeds=len(pairs),
    )


def _end(run: TrainingRun) -> Reach:
    return Reach(seconds=run.history[-1].seconds, passes=sum(1 / row.stride for row in run.history))


def _middle(found: Sequence[Reach | None]) -> Reach:
    known = [r for r in found if r is not None]
    return Reach(seconds=median(r.seconds for r in known), passes=median(r.passes for r in known))
