"""The result of `window_profile`."""

from dataclasses import dataclass
from typing import ClassVar

from timegrain.core.references import PAPER
from timegrain.core.result import Result
from timegrain.core.table import number, render
from timegrain.data.units import duration_text, plural


@dataclass(frozen=True, kw_only=True)
class WindowRow:
    """What was measured in pieces of one length.

    Args:
        window: Samples a piece.
        duration: `window * dt`.
        n_pieces: Pieces.
        discontinuity: D(2), the mean over channels; None where nothing varies.
        low: Lower end of its 95 % interval.
        high: Upper end.
        exponent: `q` of the refinement law; None where none was fitted.
        nugget: `nu` of the refinement law.
        horizon: Of the worst channel, in samples.
        horizon_open: Every stride that fits the window passes.
        horizon_low: Horizon of the upper ends of the intervals of D.
        horizon_high: Horizon of the lower ends.
        worst_channel: The channel that sets the horizon.
    """

    window: int
    duration: float
    n_pieces: int
    discontinuity: float | None
    low: float | None
    high: float | None
    exponent: float | None
    nugget: float | None
    horizon: int
    horizon_open: bool
    horizon_low: int
    horizon_high: int
    worst_channel: str | None


@dataclass(frozen=True, kw_only=True, repr=False)
class WindowProfile(Result):
    """How D(2) and the horizon depend on the window.

    D measures roughness against the variation within a window, so it falls as the window grows
    wherever slow variation comes in. It levels off where the window holds all of the variation;
    while it falls, a horizon is a statement about that window and no other.

    Args:
        dt: Step, in `unit`.
        unit: Time unit.
        tolerance: Of the horizon.
        n_sequences: Sequences given.
        windows: One row a window, ascending.
    """

    kind: ClassVar[str] = "window-profile"

    dt: float
    unit: str
    tolerance: float
    n_sequences: int
    windows: tuple[WindowRow, ...]

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the paper and of the profile's ancestor."""
        return (PAPER, "vonneumann1941distribution")

    def rows(self) -> list[dict[str, object]]:
        """Return one row a window."""
        names = (
            "window", "duration", "n_pieces", "discontinuity", "low", "high", "exponent",
            "nugget", "horizon", "horizon_low", "horizon_high", "worst_channel",
        )  # fmt: skip
        return [
            {"name": self.name} | {field: getattr(row, field) for field in names}
            for row in self.windows
        ]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return one line a window."""
        return [
            (
                f"window {row.window:,}",
                f"D(2) {number(row.discontinuity)}, horizon {horizon_text(row)}, "
                f"{row.n_pieces:,} {plural('piece', row.n_pieces)}",
            )
            for row in self.windows
        ]

    def __repr__(self) -> str:
        import textwrap

        known = self.unit != "sample"
        header = ["window", *(["time"] if known else []), "pieces", "D(2)", "95 %"]
        header += ["horizon", "95 %", "exponent"]
        cells = [
            [
                f"{row.window:,}",
                *([duration_text(row.duration, self.unit)] if known else []),
                f"{row.n_pieces:,}",
                number(row.discontinuity),
                "-" if row.low is None else f"{number(row.low)}..{number(row.high)}",
                horizon_text(row),
                f"{row.horizon_low}..{row.horizon_high}",
                "-" if row.exponent is None else f"{row.exponent:.2f}",
            ]
            for row in self.windows
        ]
        table = render(header, cells)
        lines = [f"window profile: {self.name}", *(f"  {line}" for line in table.splitlines())]
        for note in self.notes:
            lines += textwrap.wrap(
                f"note  {note}", 80, initial_indent="  ", subsequent_indent=" " * 8
            )
        return "\n".join(lines)


def horizon_text(row: WindowRow) -> str:
    """Return `64`, or `>=64` when every stride that fits passes."""
    return f">={row.horizon}" if row.horizon_open else str(row.horizon)
