"""A system whose cases differ in its parameters and in where they start."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.data.generated.streams import case_streams
from timegrain.data.systems.integrate import Field, integrate

States = Float64[np.ndarray, "time state case"]
Parameters = Float64[np.ndarray, "parameter case"]
Path = Callable[[Sequence[np.random.Generator], Parameters, Sequence[Fraction]], States]

# cases solved side by side: enough to hide the cost of a call, few enough for the cache
BLOCK = 2048


@dataclass(frozen=True)
class Parameter:
    """A number that is drawn uniformly for every case.

    Args:
        name: Its symbol.
        low: Its smallest value.
        high: Its largest.
    """

    name: str
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class System:
    """A system that can be watched at any instants.

    Args:
        name: What people type, as in `vdp-inference`.
        title: What its cases are, in the plural.
        parameters: What a case is told apart by.
        path: `path(streams, parameters, times)` returns the states of some cases at some instants,
            `(time, state, case)`; `streams` are their random generators, of which the parameters
            have been drawn. A state at an instant depends on its case and on the instant alone.
        seen: Names of the quantities that are observed.
        observe: Returns these from the states, `(time, quantity, case)`.
        pair: Two of its quantities, from the states, each `(time, case)`: a position and a
            velocity where there are such.
        pair_names: Their names.
        source: One-line citation of the equations.
        rough: Whether a case is a random path, nowhere differentiable.
    """

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    path: Path
    seen: tuple[str, ...]
    observe: Callable[[States], Float64[np.ndarray, "time quantity case"]]
    pair: Callable[
        [States], tuple[Float64[np.ndarray, "time case"], Float64[np.ndarray, "time case"]]
    ]
    pair_names: tuple[str, str]
    source: str
    rough: bool = False

    def draw(
        self, index: Int64[np.ndarray, " case"], *, seed: int, name: str
    ) -> tuple[list[np.random.Generator], Parameters]:
        """Return the random generators of some cases, and the parameters drawn from them.

        Args:
            index: Numbers of the cases.
            seed: Of everything that is drawn.
            name: Of the source they are drawn for.
        """
        streams = list(case_streams(seed, name, index))
        drawn = [[r.uniform(p.low, p.high) for r in streams] for p in self.parameters]
        return streams, np.array(drawn).reshape(len(self.parameters), len(streams))

    def run(
        self, index: Int64[np.ndarray, " case"], *, seed: int, name: str, times: Sequence[Fraction]
    ) -> Iterator[tuple[slice, Parameters, States]]:
        """Yield the parameters and the states of some cases, a block of them at a time.

        Args:
            index: As in `draw`.
            seed: As in `draw`.
            name: As in `draw`.
            times: Instants, >= 0, in their order.

        Yields:
            Which of `index` these are, their parameters and their states.
        """
        for at in range(0, len(index), BLOCK):
            here = slice(at, min(at + BLOCK, len(index)))
            streams, parameters = self.draw(index[here], seed=seed, name=name)
            yield here, parameters, self.path(streams, parameters, times)


def solved(
    field: Callable[[Parameters], Field],
    start: Callable[[np.random.Generator], Sequence[float] | np.ndarray],
    *,
    step: Fraction,
    burn_in: Fraction = Fraction(0),
) -> Path:
    """Return the path of a system of differential equations.

    Args:
        field: `f` of `x' = f(t, x)` for the parameters of many cases.
        start: Draws the states with which a case begins.
        step: Of the mesh on which it is solved.
        burn_in: Time for which it runs before it is watched.
    """

    def path(
        streams: Sequence[np.random.Generator], parameters: Parameters, times: Sequence[Fraction]
    ) -> States:
        begin = np.array([start(random) for random in streams], dtype=np.float64).T
        watched = [burn_in + time for time in times]
        return integrate(field(parameters), begin, times=watched, step=step)

    return path


def chosen(*states: int) -> Callable[[States], Float64[np.ndarray, "time quantity case"]]:
    """Return an observation that is some of the states themselves.

    Args:
        states: Their numbers.
    """
    return lambda path: path[:, list(states)]
