"""The solution of a layer's own equation as what its ladder of grids is compared with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.model.inputs import Inputs
from timegrain.continuity.model.options import ModelOptions
from timegrain.continuity.model.subject import Subject
from timegrain.continuity.ode.fields import vector_field
from timegrain.continuity.ode.solution import ode_output
from timegrain.core.errors import ConfigError, ModelError
from timegrain.core.signal import Signal
from timegrain.data.signals import SignalFamily
from timegrain.data.systems.system import System

if TYPE_CHECKING:
    import torch

Function = Callable[[np.ndarray], np.ndarray]
TOLERANCE = 1e-10


@dataclass(frozen=True, kw_only=True)
class OwnEquation:
    """Gives the exact outputs of a pair at the times of the working grid.

    Args:
        function_of: From the number of a pair to its signal, a function of times `(time,)`.
        times: Of the working grid.
        dt: Its step.
    """

    function_of: Callable[[int], Function]
    times: Float64[np.ndarray, " time"]
    dt: float

    def outputs(
        self,
        subject: Subject,
        pair: int,
        amplitudes: Sequence[float],
        *,
        tolerance: float = TOLERANCE,
    ) -> Float64[np.ndarray, "amplitude time channel"]:
        """Return the outputs of a pair's layer at each amplitude.

        Args:
            subject: The pair's model.
            pair: Its number.
            amplitudes: Factors of the signal; a time-invariant layer is solved once for all.
            tolerance: Of the solution, relative to its state.

        Raises:
            ModelError: If the equation cannot be integrated so closely.
        """
        layer, dt = _layer(subject), subject.trained_dt or self.dt
        function = self.function_of(pair)

        def solved(amplitude: float) -> np.ndarray:
            return ode_output(
                layer, lambda t: amplitude * function(t), self.times, dt=dt, tolerance=tolerance
            )

        if vector_field(layer).linear:
            return np.multiply.outer(np.asarray(amplitudes, dtype=np.float64), solved(1.0))
        return np.stack([solved(amplitude) for amplitude in amplitudes])


def own_equation(
    given: Signal | SignalFamily | System, inputs: Inputs, subject: Subject, opts: ModelOptions
) -> OwnEquation | None:
    """Return the reference that was asked for; None for the ladder's own limit.

    Args:
        given: What the signals are, or are drawn of.
        inputs: The signals.
        subject: The first pair's model.
        opts: What was asked for.

    Raises:
        ConfigError: If the signal is not known at every time, jumps, or the model is not to be
            told its step.
        ModelError: If the model is no layer with a known equation, told its step.
    """
    if opts.reference != "ode":
        return None
    if opts.protocol == "native":
        raise ConfigError(
            "reference='ode' is the limit of a layer that is told its step",
            got="protocol='native'",
            expected="protocol='rescale'",
        )
    vector_field(_layer(subject))
    return OwnEquation(
        function_of=_function_of(given, inputs, opts), times=inputs.grid.times, dt=inputs.grid.dt
    )


def _layer(subject: Subject) -> "torch.nn.Module":
    if subject.layer is None or not subject.told:
        raise ModelError(
            f"no differential equation is known of {subject.name}",
            got="another model, or one whose step is not told or told by an adapter",
            expected="S4, S4D, S5 or S6 alone, in float64 and told its step by its tau",
            hint="reference='ladder', the limit that its own outputs extrapolate to",
        )
    return subject.layer


def _function_of(
    given: Signal | SignalFamily | System, inputs: Inputs, opts: ModelOptions
) -> Callable[[int], Function]:
    rough = isinstance(given, SignalFamily) and (given.on_grids or given.derivatives < 0)
    if inputs.refine != "exact" or isinstance(given, System) or rough:
        raise ConfigError(
            "reference='ode' needs a signal known at every time, and without jumps",
            got=f"{inputs.source}, refine={inputs.refine!r}",
            expected="a smooth family, such as signal='sines', or a function of times",
            hint="reference='ladder'",
        )
    if isinstance(given, SignalFamily):
        return lambda pair: given.draw(
            dt=opts.dt,
            length=opts.length,
            n_channels=inputs.n_channels,
            seed=opts.seed,
            pair=pair,
        )
    known = given.function
    if known is None:  # "exact" was refused for samples before
        raise ConfigError("reference='ode' needs a signal known at every time", got=given.name)
    return lambda pair: lambda times: known(times)[pair % len(given.values)]
