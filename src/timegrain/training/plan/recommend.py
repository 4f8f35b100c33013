"""`subsampling_plan`: stages for a training, if the label survives them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from timegrain.continuity.dataset import dataset_continuity
from timegrain.continuity.retention.measure import label_retention
from timegrain.continuity.retention.options import as_tuple
from timegrain.continuity.retention.result import LabelRetention, RetentionRow
from timegrain.continuity.task.result import TaskContinuity
from timegrain.core.errors import ConfigError, DataError
from timegrain.core.provenance import Provenance
from timegrain.data.dataset import Dataset
from timegrain.data.subset import take
from timegrain.data.task import Task
from timegrain.training.feasible import LEAST
from timegrain.training.plan.advice import PlanAdvice
from timegrain.training.plan.plan import SubsamplingPlan
from timegrain.training.plan.reasons import (
    ENOUGH,
    coarsest_kept,
    folding,
    no_filter,
    reasons,
    warnings,
)
from timegrain.training.plan.shorten import shortened, too_few
from timegrain.training.plan.stage import Stage

STRIDES = (2, 4, 8, 16, 32, 64)


def subsampling_plan(
    task_or_dataset: Task | Dataset,
    *,
    strides: Sequence[int] = STRIDES,
    window: int | str | None = None,
    keep: float = ENOUGH,
    shares: str = "coarse-heavy",
    force: SubsamplingPlan | str | None = None,
    epochs: int | None = None,
    max_cases: int = 1000,
    repeats: int = 3,
    replicates: int = 999,
    seed: int = 0,
    on_stride: Callable[[RetentionRow], None] | None = None,
) -> PlanAdvice:
    """Return stages to train with, from the coarsest stride that keeps the label down to 1.

    The coarsest stride is the largest at which the 95 % interval of the label's retention has its
    lower end at `keep` or above, as at all smaller strides; it is halved down to 1. Where there is
    none the advice is not to subsample. Continuity does not decide: a rough sequence can keep its
    label, and a smooth one lose it. It says how samples are left out: within the horizon of the
    curves they are dropped as they are; beyond it behind a filter, if the label surely keeps more.

    Args:
        task_or_dataset: Of a task only the training part is looked at, so that no test case chooses
            the plan; of a dataset all labelled sequences.
        strides: Whole numbers >= 2; those that leave fewer than 3 samples are left out.
        window: Samples, or a time, of a dataset's cases; None for whole sequences.
        keep: Share of the skill that has to be kept.
        shares: How epochs are shared out, as `SubsamplingPlan` has it.
        force: A plan to be used whatever comes out, or its text; warned of where the label falls.
        epochs: Of the training; with fewer than stages, the coarsest of an advised plan are left
            out, and a forced one is refused. None asks for none.
        max_cases: As for `label_retention`.
        repeats: As for `label_retention`.
        replicates: As for `label_retention`.
        seed: Of every draw.
        on_stride: Called with what the label keeps at each stride, when it is measured.

    Raises:
        ConfigError: If an option is outside its domain.
        DataError: If there is no label, it does not vary, or there are too few cases.

    Note:
        `keep` is what a rate to stay at needs. Stages that end on all samples can do with less: on
        OSULeaf, where the 200 training cases show .87 [.81, .93] at stride 8, stages 8, 4, 2, 1
        scored .77 (S4D, 2 layers of 64, mean of 3 seeds), stages 2, 1 .72 and full resolution .67,
        each in the samples of 12 full epochs.

        Stages want little of all samples: with a weight of 1/2 for the last in the place of 1, S4D
        (2 layers of 32, 512 cases at most, medians of 3 seeds, in as much time) scored by .02 more
        on OSULeaf, PigCVP and rows of digits, by .05 on Lorenz, and alike on two tasks that it
        solves; S6 by .22 more on Lorenz, by .03 less on OSULeaf, and alike on PigCVP.

        Beyond the horizon the network is told its stride, too: on 1,200 permuted digits a told S4D
        scored .36, an untold one .27, and full resolution .37 in as many samples (2 layers of 32,
        stages 4:6,2:3,1:2, one seed).

    Example:
        >>> from timegrain.data import load_task
        >>> advice = subsampling_plan(load_task("GunPoint"), strides=(2, 4), repeats=1)
        >>> advice.cases, advice.n_cases
        ('train', 50)
    """
    share: object = keep
    if not isinstance(share, int | float) or isinstance(share, bool) or not 0 < share <= 1:
        raise ConfigError("keep is a share", got=f"keep={keep!r}", expected="above 0, at most 1")
    asked = SubsamplingPlan.parse(force) if isinstance(force, str) else force
    if asked is not None and not isinstance(asked, SubsamplingPlan):
        raise ConfigError(
            "cannot read the plan", got=repr(asked), expected="a SubsamplingPlan, or its text"
        )
    if asked is not None and epochs is not None:
        asked.epochs(epochs)
    data, cases = _labelled(task_or_dataset)
    wanted = _possible(data, [*_checked(strides), *(asked.strides if asked is not None else ())])
    options: dict[str, object] = {
        "max_cases": max_cases,
        "repeats": repeats,
        "replicates": replicates,
        "seed": seed,
        "window": window,
        "phase": "drawn",
    }
    told = {**options, "on_stride": on_stride}
    found = label_retention(data, strides=wanted, **told)  # type: ignore[arg-type]
    curve = dataset_continuity(data, strides=wanted, replicates=99, window=found.window)
    coarsest = coarsest_kept(found, keep)
    chosen = _Choice(data=data, found=found, curve=curve, coarsest=coarsest, options=options)
    plan, unfiltered = (asked, "") if asked is not None else chosen.plan(shares)
    left = len(plan.stages)
    if asked is None and epochs is not None:
        plan = shortened(plan, epochs)
    rough = max(plan.strides) > curve.horizon and not curve.horizon_open
    return PlanAdvice(
        name=data.name,
        outcome=found.outcome,
        provenance=Provenance.collect(
            seed=seed,
            parameters={
                **options,
                **data.versioned,
                "strides": wanted,
                "keep": keep,
                "shares": plan.shares,
                **({} if epochs is None else {"epochs": epochs}),
            },
        ),
        notes=data.notes,
        plan=plan,
        forced=asked is not None,
        cases=cases,
        n_cases=found.n_cases,
        metric=found.metric,
        score=found.score,
        trivial_score=found.trivial_score,
        limit=keep,
        coarsest=coarsest,
        retention=found.profile,
        dt=data.dt,
        unit=data.unit,
        continuity=curve.continuity,
        horizon=curve.horizon,
        horizon_open=curve.horizon_open,
        rough=rough,
        decimator=plan.stages[0].decimator,
        cost_share=plan.cost,
        sentences=(
            *reasons(
                found, curve, plan, keep=keep, forced=asked is not None, unfiltered=unfiltered
            ),
            *too_few(left, plan),
        ),
        warnings=(warnings(found, plan, keep=keep) if asked is not None else folding(curve, plan)),
    )


@dataclass(frozen=True, kw_only=True)
class _Choice:
    """What was measured, and the stages that follow from it."""

    data: Dataset
    found: LabelRetention
    curve: TaskContinuity
    coarsest: int
    options: dict[str, object]

    def plan(self, shares: str) -> tuple[SubsamplingPlan, str]:
        """Return the coarsest stride halved down to 1, and why rough data are not filtered."""
        strides = [self.coarsest]
        while strides[-1] > 1:
            strides.append(strides[-1] // 2)
        decimator, why = self._decimator()
        stages = tuple(
            Stage(stride=k, share=1 / len(strides), decimator=decimator) for k in strides
        )
        return SubsamplingPlan(stages, shares=shares), why

    def _decimator(self) -> tuple[str, str]:
        """Return `"fir"` where it keeps more of the label beyond the horizon, or why not."""
        if self.coarsest <= self.curve.horizon or self.curve.horizon_open:
            return "phase", ""
        if self.data.kind == "tokens" or self.data.times is not None:
            return "phase", no_filter(self.data, None)
        filtered = label_retention(
            self.data,
            strides=(self.coarsest,),
            decimator="fir",
            **self.options,  # type: ignore[arg-type]
        ).at(self.coarsest)
        dropped = self.found.at(self.coarsest)
        # surely better than the best guess without a filter, which costs nothing
        known = None if dropped is None else dropped.retention
        if known is not None and _lower(filtered) > known:
            return "fir", ""
        return "phase", no_filter(self.data, filtered)


def _checked(strides: object) -> tuple[int, ...]:
    given = as_tuple(strides)
    if not given or not all(
        isinstance(k, int | np.integer) and not isinstance(k, bool) and k >= 1 for k in given
    ):
        raise ConfigError(
            "strides must be whole numbers", got=given, expected="each >= 2, such as (2, 4, 8)"
        )
    return tuple(int(k) for k in given)  # type: ignore[call-overload]


def _lower(row: RetentionRow | None) -> float:
    return -np.inf if row is None or row.retention_low is None else row.retention_low


def _labelled(given: object) -> tuple[Dataset, str]:
    if isinstance(given, Task):
        return take(given.dataset, np.sort(given.train.index)), "train"
    if isinstance(given, Dataset):
        return given, "all"
    raise DataError(
        "a plan is made for a task or a dataset",
        got=repr(given) if isinstance(given, str) else type(given).__name__,
        expected="what load_task() or load_dataset() returns",
    )


def _possible(data: Dataset, strides: Sequence[int]) -> tuple[int, ...]:
    longest = int(data.lengths.max())
    possible = sorted({k for k in strides if k > 1 and -(-longest // k) >= LEAST})
    if not possible:
        raise ConfigError(
            f"the sequences of {data.name} are too short for these strides",
            got=f"{tuple(strides)} for {longest} samples",
            expected=f"a stride that leaves {LEAST} samples",
        )
    return tuple(possible)
