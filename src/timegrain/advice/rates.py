"""What trained networks keep at other rates, told their step and not told."""

from timegrain.advice.contrast import Contrast, case_variance, contrast
from timegrain.advice.evidence import CONTINUOUS, SELECTIVE, Evidence, seeds_text
from timegrain.advice.sentence import Sentence
from timegrain.core.table import ordinal
from timegrain.training.rate_transfer import TransferCurve, TransferRow

CLAIM = "rate transfer"


def rates_sentence(evidence: Evidence) -> Sentence:
    """Return what S4D and S6 score at other rates on the smoothest task both were trained on.

    The claim is that S4D, told its step, loses less than S6, told its step, at the coarsest
    measured stride.

    Args:
        evidence: Transfer curves of full-resolution trainings, from stride 1 on.
    """
    found = _curves(evidence)
    strides = _common_strides([*found[0], *found[1]])
    if not found[0] or not found[1] or len(strides) < 2 or strides[0] != 1:
        text = (
            "What S4D and S6 keep at other rates cannot be said: it takes a transfer curve of each "
            "on one task, from stride 1 on."
        )
        return Sentence(claim=CLAIM, text=text, holds=None)
    kept = _kept(found, strides[-1])
    first = found[0][0]
    seeds = seeds_text(min(len(group) for group in found))
    texts = [_layer_text(g, strides) for g in found]
    text = (
        f"Trained on {first.task} at its own rate and given every "
        f"{' and '.join(ordinal(k) for k in strides[1:])} sample, {texts[0]}, and {texts[1]} "
        f"({first.metric}, mean of {seeds}), so {_ending(kept, strides[-1])}."
    )
    return Sentence(claim=CLAIM, text=text, holds=kept.sign)


def _curves(evidence: Evidence) -> tuple[list[TransferCurve], list[TransferCurve]]:
    tasks = evidence.compared_tasks() or list(dict.fromkeys(c.task for c in evidence.curves))
    for task in tasks:
        here = [c for c in evidence.curves if c.task == task and c.plan in ("full", None)]
        first, second = ([c for c in here if c.layer == n] for n in (CONTINUOUS, SELECTIVE))
        if first and second:
            return first, second
    return [], []


def _common_strides(curves: list[TransferCurve]) -> list[int]:
    """Return the strides at which every curve has both a told and an untold score."""
    each = [
        {k for k in {row.stride for row in c.scores} if c.score(k, told=True) and
         c.score(k, told=False)}
        for c in curves
    ]  # fmt: skip
    return sorted(set.intersection(*each)) if each else []


def _row(curve: TransferCurve, stride: int, *, told: bool) -> TransferRow:
    row = curve.score(stride, told=told)
    if row is None:
        raise KeyError(f"{curve.name} has no row at stride {stride}, told={told}")
    return row


def _kept(found: tuple[list[TransferCurve], list[TransferCurve]], stride: int) -> Contrast:
    """Return how much more of its score S4D keeps than S6, both told, as a difference of losses."""
    changes = [
        [_row(c, stride, told=True).score - _row(c, 1, told=True).score for c in group]
        for group in found
    ]
    rows = [[_row(c, k, told=True) for c in group] for group in found for k in (stride, 1)]
    grouped = any(c.over is not None and c.over.grouped for group in found for c in group)
    variance = case_variance(rows, (1, -1, -1, 1), grouped=grouped)
    return contrast(changes, (1, -1), test_variance=variance)


def _layer_text(group: list[TransferCurve], strides: list[int]) -> str:
    def mean(stride: int, told: bool) -> str:
        return f"{sum(_row(c, stride, told=told).score for c in group) / len(group):.2f}"

    told = " and ".join(mean(k, True) for k in strides[1:])
    untold = " and ".join(mean(k, False) for k in strides[1:])
    name = group[0].layer.upper()
    return f"{name} goes from {mean(1, True)} to {told} told its step, to {untold} not told"


def _ending(kept: Contrast, stride: int) -> str:
    where = f"told tau = {stride}"
    if kept.sign is True:
        return f"S4D keeps more than S6 when both are {where}: {kept}"
    if kept.sign is False:
        return f"S4D keeps less than S6 when both are {where}: {kept}"
    return f"this run cannot say which keeps more when both are {where}: {kept}"
