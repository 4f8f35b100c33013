"""The families of signals that have a name."""

import math
from collections.abc import Callable
from functools import partial

from timegrain.core.signal import Function
from timegrain.data.signals.family import SignalFamily
from timegrain.data.signals.harmonics import N_HARMONICS, fourier
from timegrain.data.signals.jumps import steps
from timegrain.data.signals.kinks import kinked
from timegrain.data.signals.polynomials import chebyshev
from timegrain.data.signals.sinusoids import sines
from timegrain.data.signals.sweep import chirp
from timegrain.data.signals.wiener import brownian


def kinked_family(derivatives: int) -> SignalFamily:
    """Return the family of signals with exactly so many continuous derivatives.

    Args:
        derivatives: From 0 to 8.

    Raises:
        ConfigError: If it is no such number.

    Example:
        >>> kinked_family(2).name, kinked_family(2).order_limit
        ('c2', 4)
    """
    kinked(derivatives=derivatives, duration=1.0)  # raises if there is no such signal
    word = {0: "continuous, not differentiable", 1: "1 continuous derivative"}.get(
        derivatives, f"{derivatives} continuous derivatives"
    )
    return SignalFamily(
        name=f"c{derivatives}",
        title=f"sum of five periodic Bernoulli polynomials B{derivatives + 2} per channel",
        smoothness=f"{word}, and the next one jumps between samples",
        derivatives=derivatives,
        order_limit=derivatives + 2,
        make=partial(kinked, derivatives=derivatives),
    )


def _analytic(
    name: str, title: str, smoothness: str, make: Callable[..., Function]
) -> SignalFamily:
    """Return a family of functions with all derivatives, so that no order is out of reach."""
    return SignalFamily(
        name=name,
        title=title,
        smoothness=smoothness,
        derivatives=math.inf,
        order_limit=math.inf,
        make=make,
    )


SINES = _analytic(
    "sines", "sum of five sines per channel", "analytic, up to 4.5 cycles a window", sines
)
FOURIER = _analytic(
    "fourier",
    f"Fourier series of {N_HARMONICS} harmonics per channel",
    f"analytic, periodic, up to {N_HARMONICS} cycles a window",
    fourier,
)
CHEBYSHEV = _analytic(
    "chebyshev", "Chebyshev series of degree 20 per channel", "a polynomial", chebyshev
)
CHIRP = _analytic(
    "chirp",
    "a sine of rising frequency per channel",
    "analytic, from about 1 to at most 8 cycles a window",
    chirp,
)
C0, C1, C2, C3, C4 = (kinked_family(k) for k in range(5))
STEPS = SignalFamily(
    name="steps",
    title="five jumps per channel",
    smoothness="constant between jumps, which are on no grid",
    derivatives=-1,
    order_limit=1,
    make=steps,
)
BROWNIAN = SignalFamily(
    name="brownian",
    title="Brownian motion per channel",
    smoothness="continuous, nowhere differentiable",
    derivatives=0,
    order_limit=1,
    make=brownian,
    on_grids=True,
)
