"""What an advice cannot tell, said beside it."""

from collections.abc import Iterator, Sequence

from timegrain.advice.sampling.choice import KEEP
from timegrain.advice.sampling.result import SweepRow
from timegrain.continuity.task.result import TaskContinuity

FEW_GROUPS = 10
NEAR_NYQUIST = 0.8
ABOVE = 1.02


def unknown(
    sweep: Sequence[SweepRow],
    *,
    stride: int | None,
    n_groups: int,
    curve: TaskContinuity | None,
) -> tuple[str, ...]:
    """Return sentences on what the numbers leave open, the weightiest first.

    Args:
        sweep: Rows of the chosen window; empty without labels.
        stride: The advised stride, or None.
        n_groups: Groups that the cases come from.
        curve: Continuity of the data, where it was measured.
    """
    return tuple(_sentences(sweep, stride, n_groups, curve))


def _sentences(
    sweep: Sequence[SweepRow], stride: int | None, n_groups: int, curve: TaskContinuity | None
) -> Iterator[str]:
    if stride == 1:
        yield from _undecided(sweep)
    missing = [r for r in sweep if r.stride > 1 and r.thinned is None]
    if missing:
        listed = ", ".join(str(r.stride) for r in missing)
        yield f"what strides {listed} keep: {missing[0].reason}"
    unfiltered = [r for r in sweep if r.stride > 1 and r.thinned is not None and r.filtered is None]
    if unfiltered:
        listed = ", ".join(str(r.stride) for r in unfiltered)
        yield (
            f"what a converter with a filter would keep at strides {listed}: "
            f"{unfiltered[0].reason or 'only thinning was measured'}; thinned samples may carry "
            "folded content that such a converter removes"
        )
    yield from _beyond(sweep)
    if 0 < n_groups < FEW_GROUPS:
        yield f"much about others than these: the cases come from {n_groups} groups"
    yield _folded(curve)
    if sweep:
        yield (
            "what a stronger model would need: the probe is random convolutions with a ridge, and "
            "its score is printed so that yours can be put beside it"
        )


def _undecided(sweep: Sequence[SweepRow]) -> Iterator[str]:
    first = next((r for r in sorted(sweep, key=lambda r: r.stride) if r.stride > 1), None)
    kept = None if first is None else first.weaker
    if kept is None or kept.retention is None or kept.retention_low is None:
        return
    high = kept.retention_high
    if high is not None and kept.retention_low < KEEP <= high:
        yield (
            f"whether stride {first.stride if first else 2} keeps the label: the interval of its "
            f"retention, {kept.retention_low:.2f} to {high:.2f}, holds {KEEP:g}; more cases would "
            "decide"
        )


def _beyond(sweep: Sequence[SweepRow]) -> Iterator[str]:
    above = [
        r.stride
        for r in sweep
        if r.stride > 1
        for k in (r.thinned, r.filtered)
        if k is not None and k.retention_low is not None and k.retention_low > ABOVE
    ]
    if above:
        yield (
            f"what a model that uses all samples would do: the probe is better at stride "
            f"{', '.join(str(k) for k in dict.fromkeys(above))} than at the recorded rate, where "
            "it is a weak yardstick; fewer samples do not hold more"
        )


def _folded(curve: TaskContinuity | None) -> str:
    text = "whether faster content folded into the samples before they were recorded"
    edge = None if curve is None else curve.spectral_edge
    if curve is not None and edge is not None and edge * 2 * curve.dt > NEAR_NYQUIST:
        share = 100 * edge * 2 * curve.dt
        text += (
            f"; 95 % of the power reaches up to {share:.0f} % of the band, so it is likely: record "
            "faster once and compare"
        )
    return text
