"""Ornstein-Uhlenbeck processes: one path, however finely it is read."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError
from timegrain.data.memory import check_fits
from timegrain.data.systems.system import Parameter, Parameters, States, System, chosen

SIGMA = 0.01
# step of the mesh that is drawn first; instants in between are on it halved again and again
MESH = Fraction(1, 100)
HALVINGS = 16
SHORTER = "a smaller dt, length or horizon"


def ornstein_uhlenbeck_path(
    theta: Float64[np.ndarray, " case"],
    streams: Sequence[np.random.Generator],
    times: Sequence[Fraction],
    *,
    n_states: int = 2,
    sigma: float = SIGMA,
) -> States:
    r"""Return independent stationary solutions of `dx = -theta x dt + sigma dW`, exact in law.

    The values on the mesh of step 1/100 come from the exact transition. Halving the mesh draws the
    midpoints given their two neighbours, from numbers of their own, and leaves the others as they
    are: all grids show one path.

    Args:
        theta: Rate at which each case forgets, > 0.
        streams: Random generators of the cases.
        times: Instants, >= 0, in their order, multiples of `1 / (100 2^j)` with a `j <= 16`.
        n_states: How many independent solutions a case has.
        sigma: Size of the noise.

    Raises:
        ConfigError: If an instant is on no such mesh.
        DataError: If the path does not fit into memory.

    Math:
        With `s^2 = sigma^2 / 2 theta`: `x_0 ~ N(0, s^2)`,
        `x_{k+1} ~ N(r x_k, s^2 (1 - r^2))`, `r = exp(-theta h)`; and the midpoint of `a` and `b`,
        `h` apart, `~ N((a + b) / (2 cosh(theta h / 2)), s^2 tanh(theta h / 2))`.

    Source:
        Uhlenbeck and Ornstein, On the theory of the Brownian motion (Physical Review 36, 1930).

    Example:
        >>> def path(*times):
        ...     random = [np.random.Generator(np.random.Philox(key=1))]
        ...     return ornstein_uhlenbeck_path(np.ones(1), random, [Fraction(t) for t in times])
        >>> bool(path(1, 2)[0, 0, 0] == path("1/2", "3/4", "401/400", 1 + 1)[-1, 0, 0])
        False
        >>> bool(path(1, 2)[1, 0, 0] == path("1/2", "3/4", "401/400", 1 + 1)[-1, 0, 0])
        True
    """
    n_steps = int(-(-times[-1] // MESH)) if times else 0
    n_bytes, long = 8 * len(streams) * n_states * (n_steps + 1), "a random path so long"
    check_fits(n_bytes, long, hint=SHORTER)  # looking at instants so many would take seconds
    halvings = _halvings(times)
    check_fits(n_bytes * 2**halvings, long, hint=SHORTER)
    # what finer meshes draw must not depend on how much was drawn before
    apart = [[_jumped(random, j + 1) for random in streams] for j in range(halvings)]
    spread = sigma / np.sqrt(2 * theta)
    x = _transitions(theta, spread, _normal(streams, n_steps + 1, n_states))
    for j, finer in enumerate(apart):
        x = _halved(theta, spread, x, float(MESH) / 2**j, _normal(finer, n_steps * 2**j, n_states))
    return x[[int(time / MESH * 2**halvings) for time in times]]


def _halvings(times: Sequence[Fraction]) -> int:
    for j in range(HALVINGS + 1):
        if all((time / MESH * 2**j).denominator == 1 for time in times):
            return j
    raise ConfigError(
        "a random path is drawn on nested grids only",
        got="instants that are on none of them",
        expected="multiples of 0.01, or of it halved once or several times",
        hint="dt=0.02 or dt=0.005, and of a forecast a horizon whose n_ahead parts are such",
    )


def _jumped(random: np.random.Generator, times: int) -> np.random.Generator:
    bits = random.bit_generator
    if not isinstance(bits, np.random.Philox):
        raise TypeError(f"streams are Philox generators, not {type(bits).__name__}")
    return np.random.Generator(bits.jumped(times))


def _normal(
    streams: Sequence[np.random.Generator], n: int, n_states: int
) -> Float64[np.ndarray, "time state case"]:
    # one case after the other, in time: a longer path begins with the shorter one
    drawn = np.array([random.standard_normal((n, n_states)) for random in streams])
    return np.moveaxis(drawn, 0, -1)


def _transitions(
    theta: Float64[np.ndarray, " case"], spread: Float64[np.ndarray, " case"], noise: States
) -> States:
    kept = np.exp(-theta * float(MESH))
    fresh = spread * np.sqrt(-np.expm1(-2 * theta * float(MESH)))
    x = np.empty(noise.shape)
    x[0] = spread * noise[0]
    for k in range(1, len(x)):
        x[k] = kept * x[k - 1] + fresh * noise[k]
    return x


def _halved(
    theta: Float64[np.ndarray, " case"],
    spread: Float64[np.ndarray, " case"],
    x: States,
    h: float,
    noise: States,
) -> States:
    half = theta * h / 2
    finer = np.empty((2 * len(x) - 1, *x.shape[1:]))
    finer[::2] = x
    finer[1::2] = (x[:-1] + x[1:]) / (2 * np.cosh(half)) + spread * np.sqrt(np.tanh(half)) * noise
    return finer


def _path(
    streams: Sequence[np.random.Generator], parameters: Parameters, times: Sequence[Fraction]
) -> States:
    return ornstein_uhlenbeck_path(parameters[0], streams, times)


OU = System(
    name="ou",
    title="Ornstein-Uhlenbeck processes",
    parameters=(Parameter("theta", 0.5, 2.0),),
    path=_path,
    seen=("x",),
    observe=chosen(0),
    pair=lambda path: (path[:, 0], path[:, 1]),
    pair_names=("x", "a second, independent one"),
    source="G. E. Uhlenbeck and L. S. Ornstein, On the theory of the Brownian motion, Phys. Rev. "
    "36 (1930) 823-841; generated here",
    rough=True,
)
