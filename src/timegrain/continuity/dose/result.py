"""The result of `dose_response`."""

from dataclasses import dataclass
from typing import ClassVar

from timegrain.core.references import PAPER, PROBE
from timegrain.core.result import Result
from timegrain.core.table import number, ordinal, render
from timegrain.data.dials.words import dose_text


@dataclass(frozen=True, kw_only=True)
class DoseRow:
    """What was measured at one dose.

    Args:
        dial: Name of the dial.
        dose: Where it stood; None for no noise at all, whose ratio is infinite.
        unit: Of the dose.
        untouched: The dose changes nothing.
        discontinuity: D(2), the mean over channels; None where nothing varies.
        low: Lower end of its 95 % interval.
        high: Upper end.
        horizon: Of the worst channel, in samples of the turned data.
        horizon_open: Every listed stride passes.
        score: Of the probe at stride 1; None where no retention was asked for.
        retention: Share of its skill that is left at the result's stride.
        retention_low: Lower end of its 95 % interval.
        retention_high: Upper end.
        reason: Why there is no retention; empty where there is, or where none was asked for.
    """

    dial: str
    dose: float | None
    unit: str
    untouched: bool
    discontinuity: float | None
    low: float | None
    high: float | None
    horizon: int
    horizon_open: bool
    score: float | None = None
    retention: float | None = None
    retention_low: float | None = None
    retention_high: float | None = None
    reason: str = ""

    @property
    def continuity(self) -> float | None:
        """`1 - D(2)`."""
        return None if self.discontinuity is None else 1 - self.discontinuity

    @property
    def dose_text(self) -> str:
        """The dose as people write it."""
        return dose_text(float("inf") if self.dose is None else self.dose)


@dataclass(frozen=True, kw_only=True, repr=False)
class DoseResponse(Result):
    """How D, and what the label keeps, answer to dials that are turned on one dataset.

    Args:
        dt: Step of the untouched data, in `unit`.
        unit: Time unit.
        window: Samples a piece of the untouched data; None for whole sequences.
        stride: At which retention was measured; None where it was not.
        metric: Of the probe's score; None likewise.
        trivial_score: Of the majority class or the mean; None likewise.
        doses: One row a dose, dial by dial.
    """

    kind: ClassVar[str] = "dose-response"

    dt: float
    unit: str
    window: int | None
    stride: int | None
    metric: str | None
    trivial_score: float | None
    doses: tuple[DoseRow, ...]

    @property
    def dials(self) -> tuple[str, ...]:
        """Names of the dials that were turned."""
        return tuple(dict.fromkeys(row.dial for row in self.doses))

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the paper and of the profile's ancestor, and of the probe's."""
        probe = () if self.stride is None else PROBE
        return (PAPER, "vonneumann1941distribution", *probe)

    def rows(self) -> list[dict[str, object]]:
        """Return one row a dial and dose."""
        return [
            {
                "name": self.name,
                "dial": row.dial,
                "dose": row.dose,
                "unit": row.unit,
                "discontinuity": row.discontinuity,
                "continuity": row.continuity,
                "low": row.low,
                "high": row.high,
                "horizon": row.horizon,
                "stride": self.stride,
                "score": row.score,
                "retention": row.retention,
                "retention_low": row.retention_low,
                "retention_high": row.retention_high,
            }
            for row in self.doses
        ]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return one line a dial and dose."""
        return [
            (f"{row.dial} {row.dose_text}", ", ".join(_cells(row, self.stride)))
            for row in self.doses
        ]

    def __repr__(self) -> str:
        import textwrap

        header = ["dial and dose", "D(2)", "95 %", "horizon"]
        header += [f"R({self.stride})", "95 %", "score"] if self.stride else []
        table = render(header, [_printed(row, self.stride) for row in self.doses])
        lines = [f"dose response: {self.name}", *(f"  {line}" for line in table.splitlines())]
        for note in (*self._scale(), *self.notes):
            lines += textwrap.wrap(
                f"note  {note}", 80, initial_indent="  ", subsequent_indent=" " * 8
            )
        return "\n".join(lines)

    def _scale(self) -> tuple[str, ...]:
        if self.stride is None:
            return ()
        text = (
            f"R({self.stride}) is the share of the probe's skill that is left when every "
            f"{ordinal(self.stride)} sample is given, thinned without a filter, so that fast "
            f"content folds back; the score is its {self.metric} with all samples"
        )
        known = self.trivial_score is not None
        return (f"{text} ({number(self.trivial_score)} is trivial)" if known else text,)


def _cells(row: DoseRow, stride: int | None) -> list[str]:
    texts = [f"D(2) {number(row.discontinuity)}{_ends(row.low, row.high)}"]
    texts.append(f"horizon {_horizon(row)}")
    if stride is not None:
        kept = row.reason or f"{row.retention:.2f}{_ends(row.retention_low, row.retention_high)}"
        texts.append(f"R({stride}) {kept}")
    return texts


def _printed(row: DoseRow, stride: int | None) -> list[str]:
    unit = " dB" if row.unit == "dB" and row.dose is not None else ""
    cells = [f"{row.dial} {row.dose_text}{unit}", number(row.discontinuity, 2)]
    cells += [_interval(row.low, row.high), _horizon(row)]
    if stride is not None:
        kept = "-" if row.retention is None else f"{row.retention:.2f}"
        ends = "-"
        if row.retention_low is not None and row.retention_high is not None:
            ends = f"{row.retention_low:.2f}..{row.retention_high:.2f}"
        cells += [kept, ends, "-" if row.score is None else f"{row.score:.3f}"]
    return cells


def _horizon(row: DoseRow) -> str:
    return f">={row.horizon}" if row.horizon_open else str(row.horizon)


def _interval(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{number(low, 2)}..{number(high, 2)}"


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{number(low)}, {number(high)}]"
