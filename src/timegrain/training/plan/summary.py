"""`PlanAdvice` in lines for people."""

from typing import TYPE_CHECKING

from timegrain.core.table import number
from timegrain.training.wording import count

if TYPE_CHECKING:
    from timegrain.continuity.retention.result import RetentionRow
    from timegrain.training.plan.advice import PlanAdvice


def summary_lines(advice: "PlanAdvice") -> list[tuple[str, str]]:
    """Return `(label, text)` lines of an advice."""
    a = advice
    lines = [("advice", headline(a))]
    if a.subsample:
        lines += [("plan", _plan(a)), ("cost", _cost(a))]
    lines += [("why" if i == 0 else "", text) for i, text in enumerate(a.sentences)]
    lines += [("warning", text) for text in a.warnings]
    lines += [(f"stride {row.stride}", _row(row)) for row in a.retention[1:]]
    part = "of the training part" if a.cases == "train" else "of all parts"
    lines.append(
        (
            "probe",
            f"{a.metric} {a.score:.3f} with all samples (trivial {a.trivial_score:.3f}), "
            f"{count(a.n_cases, 'case')} {part}",
        )
    )
    opened = ">=" if a.horizon_open else ""
    lines.append(("horizon", f"{opened}{a.horizon}; continuity {number(a.continuity)}"))
    return lines


def headline(advice: "PlanAdvice") -> str:
    """Return the advice in a clause."""
    strides = ", ".join(map(str, advice.plan.strides))
    if advice.forced:
        return f"stages of stride {strides}, as asked for"
    if advice.subsample:
        return f"subsample: stages of stride {strides}"
    return "do not subsample"


def kept_text(row: "RetentionRow") -> str:
    """Return what a label keeps at a stride, with its interval."""
    if row.retention is None:
        return f"an unknown share ({row.reason})" if row.reason else "an unknown share"
    ends = ""
    if row.retention_low is not None and row.retention_high is not None:
        ends = f" [{row.retention_low:.2f}, {row.retention_high:.2f}]"
    return f"{row.retention:.2f}{ends}"


def _plan(a: "PlanAdvice") -> str:
    cells = []
    for stage, share in zip(a.plan.stages, a.plan.epoch_shares, strict=True):
        told = "" if stage.told == stage.stride else f" (told tau = {stage.told:g})"
        cells.append(f"{100 * share:.0f} % at stride {stage.stride}{told}")
    return f"of the epochs {', '.join(cells)}; decimator {a.decimator}"


def _cost(a: "PlanAdvice") -> str:
    """Return the share of the samples, and what rounding to whole epochs makes of it."""
    share = f"{a.cost_share:.2f}"
    text = f"{share} of the samples of as many epochs at full resolution"
    whole = whole_share(a)
    if whole is None or f"{whole:.2f}" == share:
        return text
    epochs = count(int(str(a.provenance.parameters["epochs"])), "whole epoch")
    return f"{text} by its shares, {whole:.2f} in {epochs}"


def whole_share(advice: "PlanAdvice") -> float | None:
    """Return the share of the samples that a plan sees in whole epochs.

    It is more than that of the plan's shares where there are few epochs, since each stage has one.

    Args:
        advice: The plan, and the epochs that it was asked for.

    Returns:
        None where no number of epochs was said.
    """
    epochs = advice.provenance.parameters.get("epochs")
    if not isinstance(epochs, int) or epochs < len(advice.plan.stages):
        return None
    return sum(row.epochs / row.stride for row in advice.plan.epochs(epochs)) / epochs


def _row(row: "RetentionRow") -> str:
    if row.retention is None:
        return f"not measured: {row.reason}"
    score = "" if row.score is None else f", score {row.score:.3f}"
    return f"keeps {kept_text(row)} of the skill{score}"
