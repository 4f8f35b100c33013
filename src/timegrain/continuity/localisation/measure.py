"""Where a model loses its continuity in time: `localise`."""

from collections.abc import Mapping, Sequence
from typing import Any

from timegrain.continuity.localisation.find import find
from timegrain.continuity.localisation.result import Localisation
from timegrain.continuity.model.options import ModelOptions
from timegrain.continuity.model.plan import plan

__all__ = ["Localisation", "localise"]


def localise(
    model: Any,
    *,
    signal: Any = None,
    dt: float = 1.0,
    length: int = 64,
    levels: int = 6,
    amplitudes: Sequence[float] = (1.0,),
    refine: str = "exact",
    protocol: str = "rescale",
    norm: str = "sup",
    scope: str = "layer",
    d_model: int = 64,
    d_input: int | None = None,
    seeds: int = 5,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    decimator: str = "phase",
) -> Localisation:
    r"""Name the first module in a model that loses continuity as its grid is refined.

    The ladder of `model_continuity`, once, with a hook on every submodule, of other packages too.
    Each sequence that a module takes or returns is treated as the output of a model is: whether its
    values converge, at what order, and how long it goes on responding to a bump that has ended. The
    module named loses its memory or its limit though nothing that it takes does.

    Args:
        model: A registered name (`"mamba"`), measured at newly seeded weights for each pair, or a
            `torch.nn.Module`, deep-copied to eval mode and float64.
        signal: As for `model_continuity`, and so are all others but `levels` and `seeds`.
        dt: Working step, at which tau = 1.
        length: Samples of the working grid, at least 16.
        levels: J, halvings of the step, at least 3.
        amplitudes: Factors of signal and bump; two or more give every module an exponent.
        refine: `"exact"`, `"interpolate"` or `"recorded"`.
        protocol: `"rescale"` tells the model its step; `"native"` does not.
        norm: `"sup"` or `"rms"`.
        scope: For a name: `"layer"`, or `"network"` for the residual network around it.
        d_model: For a name: channels of the layer.
        d_input: Channels of the input; found out where it is not given.
        seeds: Pairs of a model and a signal; rows are medians over them, without intervals.
        seed: Seed of every draw.
        options: For a name: options of the layer.
        decimator: With `refine="recorded"`: `"phase"` or `"fir"`.

    Returns:
        A row for each module with a sequence in its output, the others with the reason why they
        were skipped: called several times, no axis that follows the input's length, or another
        length. Of a tuple its first tensor is read; of a convolution that pads both sides by all it
        reaches back, the samples that its caller keeps.

    Raises:
        ConfigError: If an option is outside its domain or does not go with another.
        ModelError: If the model is a function, cannot be called, or no module can be followed.
        TimegrainError: Otherwise as `model_continuity` raises.

    Math:
        For each sequence `change = ||F_0 - F_J|| / ||F_J||` at the times of the working grid, and
        `m_J / m_0` with the memory of `model_continuity`. Differences below 1e-5 count as rounding
        at the sites, since modules may compute in float32 inside a model of float64.

    Source:
        This package's definition; see `model_continuity` for orders and memory.

    Example:
        >>> result = localise("mamba", d_model=4, levels=3, length=16, seeds=1)
        >>> result.first, result.outcome.name
        ('conv', 'MEMORY_COLLAPSES')
    """
    opts = ModelOptions(
        named=isinstance(model, str),
        amplitudes=tuple(float(a) for a in amplitudes),
        levels=levels,
        length=length,
        dt=dt,
        refine=refine,
        protocol=protocol,
        norm=norm,
        scope=scope,
        d_model=d_model,
        d_input=d_input,
        seeds=seeds,
        seed=seed,
        options=dict(options or {}),
        decimator=decimator,
    )
    return find(plan(model, opts, signal=signal))
