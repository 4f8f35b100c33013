"""Tasks in which the later course of a system is told from its past."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.data.generated.cases import Cases
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.option import number, whole
from timegrain.data.systems.mixture import WIDTH, mix
from timegrain.data.systems.system import States, System
from timegrain.data.systems.times import exact_time, sample_times

LENGTH = 256
DT = 0.04
HORIZON = 0.4


def forecast(system: System) -> Generator:
    """Return the source of observed stretches of a system, labelled with what it does next.

    Two quantities are scaled to mean 0 and variance 1 in the stretch that is seen, and observed
    through `mix`; the label is the first of them at `n_ahead` equidistant instants up to `horizon`
    behind the last sample, in the same units. What is to be told does not depend on `eta`, which
    changes how it is seen.

    Args:
        system: Which.

    Example:
        >>> from timegrain.data.systems.oscillators import DAMPED
        >>> some = np.array([7])
        >>> source = forecast(DAMPED).turned(length=20)
        >>> curve, symbols = source.cases(some), source.turned(eta=1).cases(some)
        >>> curve.sequences.shape, bool(curve.labels == symbols.labels)
        ((1, 20, 16), True)
    """
    name = f"{system.name}-forecast"

    def make(
        index: Int64[np.ndarray, " case"],
        *,
        seed: int,
        eta: float,
        length: int,
        dt: float,
        horizon: float,
        n_ahead: int,
    ) -> Cases:
        seen = sample_times(dt, length)
        times = [*seen, *(seen[-1] + later for later in _instants(horizon, n_ahead))]
        labels = np.empty((len(index), n_ahead))
        sequences = np.empty((len(index), length, WIDTH))
        for here, _, states in system.run(index, seed=seed, name=name, times=times):
            x, v = _scaled(system, states, length)
            labels[here] = x[:, length:]
            sequences[here] = mix(x[:, :length], v[:, :length], eta, seed=seed, name=name)
        return Cases(sequences=sequences, labels=labels)

    return Generator(
        name=name,
        make=make,
        source=system.source,
        values=f"{' and '.join(system.pair_names)}, scaled and mixed into {WIDTH} channels",
        label=f"{system.pair_names[0]} later",
        options={
            "eta": number(0.0, 0.0, 1.0, "the share of symbols in what is observed"),
            "length": whole(LENGTH, 2, 1 << 20, "the number of samples"),
            "dt": number(DT, 1e-6, 1e3, "the time from one sample to the next"),
            "horizon": number(
                HORIZON, 1e-6, 1e3, "the time from the last sample to the last value told"
            ),
            "n_ahead": whole(1, 1, 1024, "the number of values told, equidistant up to horizon"),
        },
        depends=_follows,
        n_train=1500,
        n_validation=250,
        n_test=500,
        kind="real",
        target="value",
        value_names=tuple(_follows(dt=DT, horizon=HORIZON, n_ahead=1)["value_names"]),
        dt=DT,
        unit="time unit",
    )


def _follows(*, dt: float, horizon: float, n_ahead: int, **_: Any) -> Mapping[str, Any]:
    later = (float(time) for time in _instants(horizon, n_ahead))
    return {"dt": dt, "value_names": tuple(f"after {time:.6g}" for time in later)}


def _instants(horizon: float, n: int) -> list[Fraction]:
    return [exact_time(horizon) * k / n for k in range(1, n + 1)]


def _scaled(
    system: System, states: States, length: int
) -> tuple[Float64[np.ndarray, "case time"], Float64[np.ndarray, "case time"]]:
    scaled = []
    for quantity in system.pair(states):
        values = np.ascontiguousarray(quantity.T)
        past = values[:, :length]
        spread = past.std(axis=1, keepdims=True)
        centred = values - past.mean(axis=1, keepdims=True)
        scaled.append(centred / np.where(spread > 0, spread, 1.0))
    return scaled[0], scaled[1]
