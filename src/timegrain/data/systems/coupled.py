"""Oscillators that act on each other: Kuramoto's phases."""

from fractions import Fraction

import numpy as np
from jaxtyping import Float64

from timegrain.data.systems.integrate import Field, State
from timegrain.data.systems.system import Parameter, States, System, solved

N_PHASES = 8
# natural frequencies are drawn about this mean with this deviation
MEAN_FREQUENCY, SPREAD = 2.0, 0.5


def kuramoto_field(coupling: Float64[np.ndarray, " case"]) -> Field:
    r"""Return `f` of `p_i' = w_i + (K / n) sum_j sin(p_j - p_i)` and `w_i' = 0`.

    A state holds `n` phases, then their natural frequencies, which stay.

    Args:
        coupling: `K` of each system.

    Math:
        The sum over `j` is `n (S cos p_i - C sin p_i)`, with `S` and `C` the means of the sines
        and cosines of the phases.

    Source:
        Kuramoto, Self-entrainment of a population of coupled non-linear oscillators (Lecture Notes
        in Physics 39, 1975).

    Example:
        >>> state = np.array([[0.0], [np.pi / 2], [1.0], [2.0]])
        >>> kuramoto_field(np.array([4.0]))(0.0, state)[:, 0].round(12)
        array([3., 0., 0., 0.])
    """

    def field(t: float, state: State) -> State:
        half = len(state) // 2
        sine, cosine = np.sin(state[:half]), np.cos(state[:half])
        pull = _mean(sine) * cosine - _mean(cosine) * sine
        moved = np.zeros(state.shape)
        moved[:half] = state[half:] + coupling * pull
        return moved

    return field


def _mean(rows: State) -> Float64[np.ndarray, " case"]:
    # row by row: numpy's own order of summation depends on how many cases there are
    total = rows[0].copy()
    for row in rows[1:]:
        total += row
    return total / len(rows)


def _start(random: np.random.Generator) -> np.ndarray:
    phases = random.uniform(0, 2 * np.pi, N_PHASES)
    return np.concatenate([phases, MEAN_FREQUENCY + SPREAD * random.standard_normal(N_PHASES)])


def _mean_field(
    path: States,
) -> tuple[Float64[np.ndarray, "time case"], Float64[np.ndarray, "time case"]]:
    phases = np.moveaxis(path[:, :N_PHASES], 1, 0)
    return _mean(np.cos(phases)), _mean(np.sin(phases))


KURAMOTO = System(
    name="kuramoto",
    title="Kuramoto systems of 8 phases",
    parameters=(Parameter("K", 0.2, 2.0),),
    path=solved(lambda parameters: kuramoto_field(parameters[0]), _start, step=Fraction(1, 200)),
    seen=("mean cosine", "mean sine"),
    observe=lambda path: np.stack(_mean_field(path), axis=1),
    pair=_mean_field,
    pair_names=("mean cosine", "mean sine"),
    source="Y. Kuramoto, Self-entrainment of a population of coupled non-linear oscillators, "
    "Lect. Notes Phys. 39 (1975) 420-422; generated here",
)
