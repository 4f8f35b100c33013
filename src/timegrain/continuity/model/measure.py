"""Whether a model is continuous in time: `model_continuity` and its result."""

from collections.abc import Mapping, Sequence
from typing import Any

from timegrain.continuity.model.options import ModelOptions
from timegrain.continuity.model.plan import plan
from timegrain.continuity.model.result import ModelContinuity

__all__ = ["ModelContinuity", "model_continuity"]


def model_continuity(
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
    seeds: int = 20,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    decimator: str = "phase",
    reference: str = "ladder",
) -> ModelContinuity:
    r"""Measure whether a model's outputs converge, and what it remembers, as its grid is refined.

    The model is run on one signal sampled at steps `dt, dt/2, .., dt/2^levels`, and the outputs are
    compared at the times of the coarsest grid. A twin of the signal, with a bump on
    `[T/4, 3T/8]`, `T = length dt`, shows how long the output goes on responding.

    Args:
        model: A registered name (`"s4d"`), measured alone, in float64, without its skip term, at
            newly seeded weights for each pair; a `torch.nn.Module`, deep-copied to eval mode and
            float64; or a function of `(batch, time, channel)` arrays or tensors. A model with a
            parameter named `tau` is told its step; another is called as it is. A `ModelAdapter`
            says what cannot be read off a model: another way to tell it, the step it was trained
            at, which argument is the input, where it pools. The memory of a model that pools over
            time is measured at what its method `features(x)` returns; without one its operations
            are watched, and where that does not show what it pools, the memory is None.
        signal: None draws `u(t) = sum_{i<=5} a_i sin(2 pi f_i t / T + phi_i)` for each channel and
            pair. The name of a family draws that (`timegrain.data.signal_families`: `"fourier"`,
            `"chebyshev"`, `"chirp"`, `"c0"` to `"c4"`, `"steps"`, `"brownian"`), and so does a
            `SignalFamily` of your own; the name of a system (`"lorenz"`, `"vdp"`, ..) goes with
            `refine="resimulate"`. Else a function of times `(time,)`, an array `(time,)`,
            `(time, channel)` or `(batch, time, channel)`, or a `Signal` (whose grid then gives dt
            and length).
        dt: Working step, at which tau = 1; with `refine="recorded"`, the step of the recording.
        length: Samples of the working grid, at least 16.
        levels: J, halvings of the step: J+1 runs, J differences, J-1 orders.
        amplitudes: Factors of signal and bump, > 0.
        refine: `"exact"` needs a signal known at every time; `"interpolate"` makes finer samples up
            by cubic splines, which caps the order at 4; `"recorded"` takes the given samples as the
            finest grid, so that tau = 1 at `2^levels dt`; `"resimulate"` simulates a system anew on
            every grid, each channel a case of its own, in standard deviations.
        protocol: `"rescale"` tells the model its step; `"native"` does not.
        norm: `"sup"` or `"rms"`, relative to the finest output's.
        scope: For a name: `"layer"`, or `"network"` for the residual network around it.
        d_model: For a name: channels of the layer.
        d_input: Channels of the input; found out where it is not given.
        seeds: Pairs of a model and a signal; a model that is passed meets so many signals.
        seed: Seed of every draw.
        options: For a name: options of the layer, such as `{"discretization": "zoh"}`.
        decimator: With `refine="recorded"`: `"phase"` drops samples for the coarser grids; `"fir"`
            low-passes before (`fir_decimate`), as a slower recorder would, and leaves 40 samples of
            the coarsest grid out at either end, which lean on what was not recorded.
        reference: What errors are taken against. `"ladder"`: the limit that the outputs extrapolate
            to. `"ode"`: the layer's own differential equation, integrated to 1e-10 (`ode_output`),
            for S4, S4D, S5 or S6 alone and a smooth signal known at every time; it takes a second
            or so for each pair of 64 channels, S6 for each amplitude too.

    Returns:
        Order with interval, errors, memory, amplitude exponent, and the outcome.

    Raises:
        ConfigError: If an option is outside its domain or does not go with another.
        UnknownNameError: If `model` is a name that is not registered.
        ModelError: If the model cannot be called or its output cannot be read, or has no equation
            that `reference="ode"` could integrate.
        LayoutError: If the signal's shape cannot be read.
        DataError: If the signal has gaps.
        GridError: If there are too few samples.

    Math:
        `d_j = ||F_j - F_{j+1}|| / ||F_J||`, `p_j = log2(d_j / d_{j+1})`,
        `F* = F_J + (F_J - F_{J-1}) / (2^p - 1)` or the solution of the equation,
        `m_j = integral_{t>3T/8} |dF_j| dt / max |dF_j|`,
        `C(a) = d_{J-1} / ((1 - 2^-p) tau_{J-1}^p)`.

    Source:
        Yu, Lyu, Erichson, Continuity Laws for Sequential Models, arXiv 2605.08539 (the question);
        Roache (1994) and Celik et al. (2008) for orders and the grid convergence index. The memory
        and the amplitude law are this package's definitions.

    Example:
        >>> import numpy as np
        >>> def leaky(x, tau=1.0):  # y' = x - y, the input held over each step
        ...     y, kept = np.zeros_like(x), np.exp(-tau)
        ...     for k in range(1, x.shape[1]):
        ...         y[:, k] = kept * y[:, k - 1] + (1 - kept) * x[:, k]
        ...     return y
        >>> result = model_continuity(leaky, seeds=3)
        >>> result.outcome.name, round(result.order, 1)
        ('CONVERGES', 1.0)
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
        reference=reference,
    )
    return plan(model, opts, signal=signal).run()
