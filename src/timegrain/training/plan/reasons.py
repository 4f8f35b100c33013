"""Why a plan is advised, or none, in sentences."""

from itertools import takewhile
from math import inf

from timegrain.continuity.retention.result import LabelRetention, RetentionRow
from timegrain.continuity.task.result import TaskContinuity
from timegrain.core.outcome import Outcome
from timegrain.core.table import number
from timegrain.data.dataset import Dataset
from timegrain.training.plan.plan import SubsamplingPlan
from timegrain.training.plan.summary import kept_text

ENOUGH = 0.8
"""Share of the skill that does for stages that end on all samples; see `subsampling_plan`."""


def reasons(
    found: LabelRetention,
    curve: TaskContinuity,
    plan: SubsamplingPlan,
    *,
    keep: float,
    forced: bool,
    unfiltered: str = "",
) -> tuple[str, ...]:
    """Return what the choice rests on, the weightiest first.

    Args:
        found: The label at every stride.
        curve: The continuity of the data.
        plan: What was chosen, or asked for.
        keep: Share of the skill that has to be kept.
        forced: Whether it was asked for.
        unfiltered: Why rough data are not filtered, from `no_filter`, where that was looked at.
    """
    if forced:
        return _curve(curve, plan, forced=True)
    if plan.subsamples:
        row = found.at(max(plan.strides))
        kept = "" if row is None else kept_text(row)
        return (
            f"at stride {max(plan.strides)} the label keeps {kept} of its skill at drawn phases; "
            f"the lower end of this interval is {keep:g} or more, as at all smaller strides",
            *_next(found, keep),
            *_curve(curve, plan, unfiltered=unfiltered),
        )
    return (_declined(found, keep), *_less(found, keep), *_continuity(curve))


def warnings(found: LabelRetention, plan: SubsamplingPlan, *, keep: float) -> tuple[str, ...]:
    """Return a sentence for each stage of a forced plan that the label is not known to survive.

    Args:
        found: The label at every stride.
        plan: The plan.
        keep: Share of the skill that has to be kept.
    """
    if found.outcome is Outcome.CANNOT_TELL and plan.subsamples:
        return (f"nothing shows that the label survives: {_unskilled(found)}",)
    texts = []
    for stride in sorted({k for k in plan.strides if k > 1}):
        row = found.at(stride)
        if row is None:
            texts.append(f"stride {stride} leaves too little to measure what the label keeps")
        elif row.retention_low is None or row.retention_low < keep:
            verb = "falls" if _falls(row, keep) else "is not shown to last"
            texts.append(
                f"the label {verb} at stride {stride}: it keeps {kept_text(row)} of its skill, and "
                f"{keep:g} is wanted"
            )
    return tuple(texts)


def folding(curve: TaskContinuity, plan: SubsamplingPlan) -> tuple[str, ...]:
    """Return a sentence on an advised plan that drops samples of rough data as they are.

    Args:
        curve: The continuity of the data.
        plan: The plan.
    """
    coarsest = max(plan.strides)
    rough = coarsest > curve.horizon and not curve.horizon_open
    if not rough or any(s.stride > 1 and s.decimator != "phase" for s in plan.stages):
        return ()
    return (
        f"stride {coarsest} is beyond the horizon of {curve.horizon}, so that fast content folds "
        "onto slow: the label is still there, but a network may learn from the coarse stages what "
        "all samples contradict; compare with full resolution before you rely on it",
    )


def _declined(found: LabelRetention, keep: float) -> str:
    if found.outcome is Outcome.CANNOT_TELL:
        return f"nothing shows that a stride is harmless: {_unskilled(found)}"
    row = found.profile[1]
    kept = f"at stride {row.stride} the label keeps {kept_text(row)} of its skill at drawn phases"
    if _falls(row, keep):
        return f"{kept}: less than {keep:g}, so what is left out is what it needs"
    return (
        f"{kept}: whether that is {keep:g} these {found.n_cases:,} cases cannot tell; more would "
        "decide"
    )


def _less(found: LabelRetention, keep: float) -> tuple[str, ...]:
    coarsest = coarsest_kept(found, ENOUGH)
    if keep <= ENOUGH or coarsest == 1:
        return ()
    return (
        f"stages end on all samples, so that less than {keep:g} may do: with keep={ENOUGH:g} they "
        f"would begin at stride {coarsest}",
    )


def coarsest_kept(found: LabelRetention, keep: float) -> int:
    """Return the largest stride whose interval ends at `keep` or above, as at all smaller ones.

    Args:
        found: The label at every stride.
        keep: Share of the skill.
    """
    rows = takewhile(lambda row: (row.retention_low or -inf) >= keep, found.profile[1:])
    return max((row.stride for row in rows), default=1)


def _unskilled(found: LabelRetention) -> str:
    return found.reasons.get("retention", "the probe has too little skill with all samples")


def _falls(row: RetentionRow, keep: float) -> bool:
    return row.retention_high is not None and row.retention_high < keep


def _next(found: LabelRetention, keep: float) -> tuple[str, ...]:
    # behind the coarsest stride that does, which a plan of few epochs does not reach
    coarsest = coarsest_kept(found, keep)
    row = next((r for r in found.profile if r.stride > coarsest), None)
    if row is None or row.retention is None:
        return ()
    return (f"at stride {row.stride} it keeps {kept_text(row)}, which is not surely {keep:g}",)


def no_filter(data: Dataset, filtered: RetentionRow | None) -> str:
    """Return why samples of rough data are dropped without a filter, as the end of a sentence.

    Args:
        data: The data.
        filtered: What a label keeps behind a filter; None where none was tried.
    """
    if data.kind == "tokens":
        return "since symbols have no average that a filter could keep"
    if data.times is not None:
        return "since a filter needs samples at even steps"
    if filtered is None or filtered.retention is None:
        why = "" if filtered is None else filtered.reason
        return f"since no filter fits: {why}" if why else "without a filter"
    return f"since a filter does not surely keep more ({kept_text(filtered)})"


def _curve(
    curve: TaskContinuity, plan: SubsamplingPlan, *, forced: bool = False, unfiltered: str = ""
) -> tuple[str, ...]:
    if not plan.subsamples:
        return ()
    coarsest = max(plan.strides)
    if curve.horizon >= coarsest:
        how = _left_out(plan, fine=True)
        return (
            f"lines redraw the curves from every {curve.horizon} samples, so that tau can be "
            f"trusted and {how}",
        )
    if curve.horizon_open:
        return (
            f"lines redraw the curves from every {curve.horizon} samples, the largest stride that "
            f"was looked at; about {coarsest} nothing is known",
        )
    how = _left_out(plan)
    if plan.stages[0].decimator == "fir" and not forced:
        how += ", which keeps more of the label"
    if unfiltered and plan.stages[0].decimator == "phase":
        how += f", {unfiltered}"
    still = "" if forced else ", yet the label is still there"
    told = (
        "the network is told the stride"
        if all(s.told == s.stride for s in plan.stages)
        else "the network is not told the stride"
    )
    return (
        f"the data are rough: lines redraw the curves only up to a stride of {curve.horizon} "
        f"(continuity {number(curve.continuity)}){still}; {how}, and {told}",
    )


def _left_out(plan: SubsamplingPlan, *, fine: bool = False) -> str:
    """Return how the first stage leaves samples out; `fine` where lines redraw the curves."""
    decimator = plan.stages[0].decimator
    if decimator == "fir":
        return "a filter first removes what the stride cannot show"
    if decimator == "mean":
        return "samples are averaged over the stride" + (
            "" if fine else ", which weakens fast content"
        )
    return "samples are dropped as they are" + ("" if fine else ", so that fast content folds down")


def _continuity(curve: TaskContinuity) -> tuple[str, ...]:
    if curve.horizon == 1 and not curve.horizon_open:
        return ()
    return (
        f"lines redraw the curves from every {curve.horizon} samples, but a smooth curve permits "
        "nothing where its label is lost",
    )
