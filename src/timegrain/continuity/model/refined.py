"""What every result of a model on ever finer grids says of how it was measured."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from timegrain.core.references import GRIDS, PAPER
from timegrain.core.result import Result
from timegrain.core.table import number
from timegrain.models.sources import layer_sources


@dataclass(frozen=True, kw_only=True, repr=False)
class RefinedModel(Result):
    """The model, its input and its grids.

    Args:
        scope: `"layer"`, `"network"`, or `"model"` for a module or function that was passed.
        protocol: `"rescale"` if the model is told its step, `"native"` if it is called as it is.
        refine: Where finer samples come from: `"exact"`, `"resimulate"`, `"interpolate"` or
            `"recorded"`.
        norm: `"sup"` or `"rms"`.
        signal: What the input is.
        options: Options of a registered layer.
        dtype: Type computed in.
        dt: Working step, at which tau = 1.
        unit: Time unit.
        length: Samples of the working grid.
        levels: Halvings of the step.
        d_input: Channels of the input.
        n_pairs: Pairs of a model and a signal; each registered layer is seeded anew.
        amplitudes: Factors of the input.
        takes_tau: Whether tau reaches the model.
        trained_dt: Step at which the model was trained; None for the working step. Every `tau` of a
            row is `step / trained step`.
        signal_order: Order at which the input's own samples converge at its finest steps, the
            median over pairs: 2 smooth, 1/2 Brownian motion or jumps, 0 noise; None where it does
            not vary, and in results of earlier versions.
    """

    scope: str
    protocol: str
    refine: str
    norm: str
    signal: str
    options: Mapping[str, object] = field(default_factory=dict)
    dtype: str
    dt: float
    unit: str
    length: int
    levels: int
    d_input: int
    n_pairs: int
    amplitudes: tuple[float, ...]
    takes_tau: bool
    trained_dt: float | None = None
    signal_order: float | None = None

    @property
    def working_tau(self) -> float:
        """`tau` of the working grid: its step over the trained one."""
        return 1.0 if self.trained_dt is None else self.dt / self.trained_dt

    @property
    def at_work(self) -> str:
        """That tau, for people: `"tau 1"`."""
        return f"tau {ratio_text(self.working_tau)}"

    @property
    def time_unit(self) -> str:
        """The unit of times and of memory, for people."""
        return "time units" if self.unit == "sample" else self.unit

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the paper, of orders of convergence, and of a registered layer."""
        return (PAPER, *GRIDS, *(() if self.scope == "model" else layer_sources(self.name)))


def ratio_text(tau: float) -> str:
    """Return a step ratio for people: one over a whole number as such.

    Example:
        >>> ratio_text(1.0), ratio_text(1 / 64), ratio_text(6.25)
        ('1', '1/64', '6.25')
    """
    inverse = 1 / tau
    return f"1/{round(inverse)}" if inverse > 1 and inverse == round(inverse) else number(tau)


def medians_text(result: Any) -> str:
    """Return of how many pairs the figures are medians, and why they have no intervals.

    Args:
        result: Of a model, with `n_pairs` and the reason why an interval is null.
    """
    n = result.n_pairs
    pairs = "1 pair" if n == 1 else f"{n} pairs (medians)"
    why = result.reasons.get("interval")
    return pairs if why is None else f"{pairs}, no interval: {why.removeprefix(_count(n))}"


def _count(n: int) -> str:
    return f"{n} pair{'' if n == 1 else 's'}, "
