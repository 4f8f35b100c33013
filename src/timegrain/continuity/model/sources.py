"""Where the inputs of a ladder come from."""

from timegrain.continuity.model.drawn import family_inputs, system_inputs
from timegrain.continuity.model.inputs import Inputs
from timegrain.continuity.model.samples import given_inputs
from timegrain.core.signal import Signal
from timegrain.data.signals import SignalFamily
from timegrain.data.systems.system import System


def make_inputs(
    given: Signal | SignalFamily | System,
    *,
    dt: float,
    length: int,
    levels: int,
    refine: str,
    n_channels: int,
    seed: int,
    decimator: str = "phase",
) -> Inputs:
    """Return the inputs that `model_continuity` asks for.

    Args:
        given: A user's signal, or what one is drawn of for every pair.
        dt: Step of the working grid of drawn signals.
        length: Samples of that grid.
        levels: Halvings of the step.
        refine: One of `REFINEMENTS`.
        n_channels: Channels of drawn signals.
        seed: Seed of drawn signals.
        decimator: One of `DECIMATORS`: how the coarser grids of a recording come about.

    Raises:
        ConfigError: If `refine` asks for what the signal cannot give.
        DataError: If the signal's values are not finite.
        GridError: If there are too few samples.
    """
    if isinstance(given, Signal):
        return given_inputs(given, levels=levels, refine=refine, decimator=decimator)
    make = family_inputs if isinstance(given, SignalFamily) else system_inputs
    return make(
        given,
        dt=dt,
        length=length,
        levels=levels,
        refine=refine,
        n_channels=n_channels,
        seed=seed,
    )
