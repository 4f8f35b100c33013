"""What every result of a model on ever finer grids says of how it was measured."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from timegrain.core.references import GRIDS, PAPER
from timegrain.core.result import Result
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

    @property
    def time_unit(self) -> str:
        """The unit of times and of memory, for people."""
        return "time units" if self.unit == "sample" else self.unit

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the paper, of orders of convergence, and of a registered layer."""
        return (PAPER, *GRIDS, *(() if self.scope == "model" else layer_sources(self.name)))
