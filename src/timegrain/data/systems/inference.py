"""Tasks in which the parameters of a system are told from what it does."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.data.generated.cases import Cases
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.option import number, whole
from timegrain.data.systems.system import System
from timegrain.data.systems.times import sample_times

LENGTH = 1024
DT = 0.01


def inference(system: System) -> Generator:
    """Return the source of series of what is seen of a system, labelled with its parameters.

    A series is the solution itself, unscaled and without noise, at `0, dt, ...`. The same case at
    another `dt` or `length` is the same function of time.

    Args:
        system: Which.

    Example:
        >>> from timegrain.data.systems.oscillators import DAMPED
        >>> found = inference(DAMPED).turned(length=3, dt=0.5).cases(np.array([7]))
        >>> found.sequences.shape, found.labels.shape
        ((1, 3, 1), (1, 2))
    """
    name = f"{system.name}-inference"

    def make(index: Int64[np.ndarray, " case"], *, seed: int, length: int, dt: float) -> Cases:
        times = sample_times(dt, length)
        labels = np.empty((len(index), len(system.parameters)))
        sequences = np.empty((len(index), length, len(system.seen)))
        for here, parameters, states in system.run(index, seed=seed, name=name, times=times):
            labels[here] = parameters.T
            sequences[here] = np.moveaxis(system.observe(states), -1, 0)
        return Cases(sequences=sequences, labels=labels)

    def answers(
        index: Int64[np.ndarray, " case"], *, seed: int, **_: Any
    ) -> tuple[Float64[np.ndarray, "case value"], None]:
        return np.ascontiguousarray(system.draw(index, seed=seed, name=name)[1].T), None

    named = [parameter.name for parameter in system.parameters]
    return Generator(
        name=name,
        make=make,
        answers=answers,
        source=system.source,
        values=" and ".join(system.seen),
        label=", ".join(named),
        options={
            "length": whole(LENGTH, 2, 1 << 20, "the number of samples"),
            "dt": number(DT, 1e-6, 1e3, "the time from one sample to the next"),
        },
        depends=_step,
        n_train=2000,
        n_validation=500,
        n_test=500,
        kind="real",
        target="value",
        value_names=tuple(named),
        channel_names=system.seen,
        dt=DT,
        unit="time unit",
    )


def _step(*, length: int, dt: float) -> Mapping[str, Any]:
    return {"dt": dt}
