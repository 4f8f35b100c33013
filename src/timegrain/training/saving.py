"""Whether stages of a training pay: their final score and their time beside full resolution."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from timegrain.training.difference import Difference, paired_difference, seeds_text
from timegrain.training.run import EpochRow, TrainingRun, stages_done
from timegrain.training.wording import count

CLOSE = 0.01  # a single test case more or less is no difference
LOSS = 0.05  # what the interval of the difference must rule out for stages to pay
FASTER = 0.9  # of the time; less of a saving is within what a clock varies
QUESTION = "Do stages pay?"
"""What a verdict answers: whether they end as near to full resolution in less time."""
SAVING_NOTE = f"{QUESTION} "
_ROUNDING = 1e-9
Key = tuple[str, str, str]
SaysIt = Literal["pays", "does not pay", "cannot tell"]
VERDICTS: tuple[SaysIt, ...] = ("pays", "does not pay", "cannot tell")


@dataclass(frozen=True, kw_only=True)
class Reach:
    """When a training came to a score for good.

    Args:
        seconds: Training time until then.
        passes: Samples seen until then, over those of the training part.
    """

    seconds: float
    passes: float


@dataclass(frozen=True, kw_only=True)
class Saving:
    """Stages beside as many seeds at full resolution.

    Args:
        task: Name of the task.
        layer: Name of the layer.
        plan: The stages.
        metric: Of the scores.
        score: What full resolution ends with, the median over seeds.
        low: Lower end of its 95 % interval, the median over seeds; None where there is none.
        high: Upper end.
        trivial: Score of the trivial answer.
        staged_score: What the stages end with, the median over seeds.
        difference: What the stages end with less what full resolution does.
        whole: What full resolution took in all, medians over seeds.
        spent: What the stages took in all.
        seen: Samples that the stages saw, over those of as many epochs at full resolution.
        full: When full resolution was within `CLOSE` of its final score to stay, medians over the
            seeds in `reached`, over all where there are none.
        staged: When the stages were within `CLOSE` of the same score to stay, over the same seeds;
            None where none was at its end.
        reached: Seeds in which the stages were.
        seeds: Seeds with both trainings.
        plan_seconds: What measuring the plan took, beside the training; None where unknown.
        done: The stages with the epochs done, where early stopping ended one.
    """

    task: str
    layer: str
    plan: str
    metric: str
    score: float
    low: float | None
    high: float | None
    trivial: float
    staged_score: float
    difference: Difference
    whole: Reach
    spent: Reach
    seen: float
    full: Reach
    staged: Reach | None
    reached: int
    seeds: int
    plan_seconds: float | None = None
    done: str | None = None

    @property
    def learned(self) -> bool:
        """Whether full resolution is surely better than the trivial answer."""
        return self.low is not None and self.low > max(self.trivial, 0.0)

    @property
    def verdict(self) -> SaysIt:
        """Whether the stages pay.

        They do where most seeds end within `CLOSE` of full resolution after at most `FASTER` of
        its time, and the interval of the difference rules out a loss of `LOSS`. They do not where
        that takes as long, or where they surely end lower.
        """
        if not self.learned:
            return "cannot tell"
        if 2 * self.reached <= self.seeds:
            high = self.difference.high
            return "does not pay" if high is not None and high < 0 else "cannot tell"
        if self.time_share >= 1:
            return "does not pay"
        low = self.difference.low
        sure = low is not None and low > -LOSS
        return "pays" if sure and self.time_share <= FASTER else "cannot tell"

    @property
    def why(self) -> str:
        """What the verdict rests on, in a clause."""
        if not self.learned:
            return "full resolution is not surely better than trivial"
        if 2 * self.reached <= self.seeds:
            surely = "surely end lower" if self.verdict == "does not pay" else "end lower"
            return f"they {surely}" + ("" if "surely" in surely else ", though not surely so")
        share = f"{self.time_share:.2f} of the time"
        if self.time_share >= 1:
            return f"as near takes them {share}"
        if self.verdict == "pays":
            return f"as near in {share}"
        if self.time_share > FASTER:
            return f"as near in {share}, within what a clock varies"
        return f"as near in {share}, but a loss of {LOSS:g} is not ruled out"

    def sentence(self) -> str:
        """Return the verdict and what it rests on in words."""
        what = f"{self.layer} on {self.task}, stages {self.done or self.plan}"
        head = f"{what}: {self.verdict}: {self.why}"
        if not self.learned:
            ends = "no interval"
            if self.low is not None and self.high is not None:
                ends = f"95 % interval {self.low:.3f} to {self.high:.3f}"
            return f"{head} ({self.metric} {self.score:.3f}, {ends}; trivial {self.trivial:.3f})."
        return " ".join([f"{head}.", self._ends(), self._times(), self._samples(), *self._aside()])

    @property
    def time_share(self) -> float:
        """Seconds of the stages over those of full resolution; NaN where they did not reach it."""
        return math.nan if self.staged is None else self.staged.seconds / self.full.seconds

    def to_parameters(self) -> dict[str, object]:
        """Return the figures behind the verdict by name, for scripts."""
        shown = self.learned and self.staged is not None
        return {
            "verdict": self.verdict,
            "full_score": self.score,
            "staged_score": self.staged_score,
            "difference": self.difference.value,
            "difference_low": self.difference.low,
            "difference_high": self.difference.high,
            "full_seconds": self.full.seconds if self.learned else None,
            "staged_seconds": self.staged.seconds if self.staged and shown else None,
            "time_share": self.time_share if shown else None,
            "sample_share": self.seen,
            "seeds": self.seeds,
            "plan_seconds": self.plan_seconds,
        }

    def _ends(self) -> str:
        return (
            f"They end at {self.metric} {self.staged_score:.3f} and full resolution at "
            f"{self.score:.3f}: {self.difference.describe()}."
        )

    def _times(self) -> str:
        first = (
            f"Full resolution is within {CLOSE:g} of its end to stay after "
            f"{seconds_text(self.full.seconds)}"
        )
        if self.staged is None:
            return (
                f"{first}; the stages end further below, after {seconds_text(self.spent.seconds)}."
            )
        where = "" if self.seeds == 1 else f" (in {self.reached} of {count(self.seeds, 'seed')})"
        return f"{first}, the stages after {seconds_text(self.staged.seconds)}{where}."

    def _samples(self) -> str:
        return (
            f"In all they saw {self.seen:.2f} of the samples of as many epochs at full resolution, "
            f"in {seconds_text(self.spent.seconds)} against {seconds_text(self.whole.seconds)}."
        )

    def _aside(self) -> list[str]:
        plan = self.plan_seconds
        measured = [] if plan is None else [f"Measuring the plan took {seconds_text(plan)} more."]
        return [*measured, seeds_text(self.seeds)]


def savings(runs: Sequence[TrainingRun]) -> tuple[Saving, ...]:
    """Return each plan beside full resolution, where seeds were trained both ways.

    A score is that of the test part after an epoch, at full resolution for both.

    Args:
        runs: Trainings; those of one task and network are compared, seed by seed.
    """
    return tuple(_saving(key, found) for key, found in _pairs(runs).items())


def with_savings(runs: Sequence[TrainingRun]) -> tuple[TrainingRun, ...]:
    """Return trainings, of which those in stages say what they saved, as far as it is known.

    The sentence becomes a note, and its figures the parameter `"saving"`.

    Args:
        runs: Trainings of any tasks and networks.
    """
    found = {(s.task, s.layer, s.plan): s for s in savings(runs)}
    compared = {id(staged) for pairs in _pairs(runs).values() for _, staged in pairs}

    def noted(run: TrainingRun) -> TrainingRun:
        if id(run) not in compared:
            return run
        saving, made = found[_key(run)], run.provenance
        parameters = {**made.parameters, "saving": saving.to_parameters()}
        return replace(
            run,
            notes=(*run.notes, f"{SAVING_NOTE}{saving.sentence()}"),
            provenance=replace(made, parameters=parameters),
        )

    return tuple(map(noted, runs))


def reach(run: TrainingRun, score: float) -> Reach | None:
    """Return when a training had a score after an epoch and after each that followed.

    Args:
        run: The training.
        score: The score.

    Returns:
        None if it was lower after its last epoch, or, with early stopping, the one that was kept.
    """
    rows = _rows(run)
    below = [i for i, row in enumerate(rows) if row.score < score - _ROUNDING]
    first = below[-1] + 1 if below else 0
    return None if first == len(rows) else _after(rows[: first + 1])


def passes(run: TrainingRun) -> float:
    """Return the samples that a training saw, over those of as many epochs at full resolution.

    Args:
        run: The training, of an epoch at least.
    """
    return _after(run.history).passes / len(run.history)


def alone_text(run: TrainingRun) -> str:
    """Return what is known of the saving of a plan with nothing at full resolution beside it.

    Args:
        run: A training in stages.
    """
    return (
        f"{run.layer} on {run.task}, stages {stages_done(run)}: cannot tell: nothing was trained "
        f"at full resolution beside them. They saw {passes(run):.2f} of the samples of as many "
        "epochs there; of the time nothing is known."
    )


def verdict_counts(found: Sequence[Saving]) -> str:
    """Return how many comparisons have which verdict, such as `1 pays, 2 cannot tell`.

    Args:
        found: The comparisons.
    """
    said = [saving.verdict for saving in found]
    return ", ".join(f"{said.count(v)} {v}" for v in VERDICTS if v in said)


def saving_texts(runs: Sequence[TrainingRun]) -> tuple[str, ...]:
    """Return a sentence on each plan among trainings: whether it pays, or what is known of that.

    Args:
        runs: Trainings of any tasks and networks.
    """
    found = savings(runs)
    compared = {(s.task, s.layer, s.plan) for s in found}
    alone = {
        _key(run): run
        for run in runs
        if run.plan != "full"
        and run.history
        and _key(run) not in compared
        and "saving" not in run.provenance.parameters  # it was compared, and says so itself
    }
    return (*(s.sentence() for s in found), *map(alone_text, alone.values()))


def seconds_text(seconds: float) -> str:
    """Return seconds with as many digits as matter.

    Example:
        >>> seconds_text(3.14159), seconds_text(62.8)
        ('3.1 s', '63 s')
    """
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def _key(run: TrainingRun) -> Key:
    return (run.task, run.layer, run.plan)


def _pairs(runs: Sequence[TrainingRun]) -> dict[Key, list[tuple[TrainingRun, TrainingRun]]]:
    full = {_same(r): r for r in runs if r.plan == "full" and r.history}
    pairs: dict[Key, list[tuple[TrainingRun, TrainingRun]]] = {}
    for run in runs:
        if run.plan != "full" and run.history and _same(run) in full:
            pairs.setdefault(_key(run), []).append((full[_same(run)], run))
    return pairs


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
    lows = [full.low for full, _ in pairs if full.low is not None]
    highs = [full.high for full, _ in pairs if full.high is not None]
    took = [
        s for _, r in pairs if isinstance(s := r.provenance.parameters.get("plan_seconds"), float)
    ]
    return Saving(
        task=task,
        layer=layer,
        plan=plan,
        metric=pairs[0][0].metric,
        score=median(full.score for full, _ in pairs),
        low=median(lows) if len(lows) == len(pairs) else None,
        high=median(highs) if len(highs) == len(pairs) else None,
        trivial=median(full.trivial_score for full, _ in pairs),
        staged_score=median(run.score for _, run in pairs),
        difference=paired_difference(pairs),
        whole=_middle([_end(full) for full, _ in pairs]),
        spent=_middle([_end(run) for _, run in pairs]),
        seen=median(passes(run) for _, run in pairs),
        full=_middle([whole[i] for i in chosen]),
        staged=_middle([staged[i] for i in done]) if done else None,
        reached=len(done),
        seeds=len(pairs),
        plan_seconds=took[0] if took else None,
        done=stages_done(pairs[0][1]) if len(pairs) == 1 else None,
    )


def _rows(run: TrainingRun) -> Sequence[EpochRow]:
    """Return the epochs up to the one whose weights were kept."""
    kept = run.kept
    if kept is None:
        return run.history
    return [row for row in run.history if row.epoch <= kept.epoch]


def _end(run: TrainingRun) -> Reach:
    return _after(run.history)


def _after(rows: Sequence[EpochRow]) -> Reach:
    return Reach(seconds=rows[-1].seconds, passes=sum(1 / row.stride for row in rows))


def _middle(found: Sequence[Reach | None]) -> Reach:
    known = [r for r in found if r is not None]
    return Reach(seconds=median(r.seconds for r in known), passes=median(r.passes for r in known))
