"""One pair of a model and a signal on all levels, seen at every site in the model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.localisation.listening import OUTPUT, Heard, listening
from timegrain.continuity.localisation.sites import Site, Sites
from timegrain.continuity.model.convergence import converge, relative
from timegrain.continuity.model.inputs import Inputs
from timegrain.continuity.model.introspect import declared_order
from timegrain.continuity.model.ladder import Climb, on_level, remembered
from timegrain.continuity.model.options import ModelOptions
from timegrain.continuity.model.subject import Subject
from timegrain.stats.norms import time_norm


@dataclass(frozen=True, kw_only=True)
class Ascent:
    """What one pair shows at one site and one amplitude.

    Args:
        climb: As of a model's output.
        change: `||F_0 - F_J|| / ||F_J||` at the times of level 0.
    """

    climb: Climb
    change: float


@dataclass(kw_only=True)
class _Seen:
    """What was read at one site and one amplitude so far, level by level."""

    outputs: list[Float64[np.ndarray, "working channel"]] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    noise: list[float] = field(default_factory=list)


def ascend(
    subject: Subject,
    sites: Sites,
    named: Mapping[str, Any],
    inputs: Inputs,
    *,
    pair: int,
    opts: ModelOptions,
    rescale: bool,
    eps: float,
) -> dict[Site, list[Ascent]]:
    """Return what one pair shows at each amplitude, at the sites that could be read on all levels.

    Each sequence is run alone, so that nothing has to be known of how modules lay out a batch.

    Args:
        subject: The model.
        sites: What is followed.
        named: The modules by name.
        inputs: The signals.
        pair: Which of them.
        opts: What was asked for.
        rescale: Whether the model is told its step.
        eps: Relative spacing below which differences are rounding.

    Raises:
        ModelError: If the model fails, or its output is not finite.
    """
    taken = [site for some in sites.inputs.values() for site in some]
    every = (*sites.outputs.values(), *taken)
    seen = {site: [_Seen() for _ in opts.amplitudes] for site in every}
    heard_at = {name: named[name] for name in ("", *sites.outputs)}
    for level in range(inputs.levels + 1):
        values, bump = inputs.twin(pair, level)
        times = inputs.grid.refine(2**level).times
        tau = 2.0**-level if rescale else 1.0
        for number, amplitude in enumerate(opts.amplitudes):
            runs = []
            for x in (amplitude * values, amplitude * (values + bump)):
                with listening(heard_at, only=sites.keys) as heard, on_level(level, len(x)):
                    subject.call(x[None], tau)
                runs.append(heard)
            at_once = {s: kept[number] for s, kept in seen.items()}
            _note(at_once, runs, times, level, inputs, eps=eps)
    complete = {
        site: kept
        for site, kept in seen.items()
        if all(len(one.memory) == inputs.levels + 1 for one in kept)
    }
    return {
        site: [_ascent(one, opts, declared=_declared(site, named), eps=eps) for one in kept]
        for site, kept in complete.items()
    }


def _note(
    seen: dict[Site, _Seen],
    runs: list[Heard],
    times: Float64[np.ndarray, " time"],
    level: int,
    inputs: Inputs,
    *,
    eps: float,
) -> None:
    plain, twin = runs
    for site, kept in seen.items():
        one = site.read(plain.tensors.pop(site.key, None), times.size)
        other = site.read(twin.tensors.pop(site.key, None), times.size)
        if one is None or other is None:
            continue
        kept.outputs.append(one[:: 2**level].copy())
        memory, noise = remembered(one, other, times, inputs.bump_end, eps)
        kept.memory.append(memory)
        kept.noise.append(noise)


def _ascent(seen: _Seen, opts: ModelOptions, *, declared: int | None, eps: float) -> Ascent:
    outputs = np.stack(seen.outputs)
    first, last = outputs[0], outputs[-1]
    change = relative(time_norm(first - last, norm=opts.norm), time_norm(last, norm=opts.norm))
    convergence = converge(outputs, norm=opts.norm, declared=declared, eps=eps)
    return Ascent(
        climb=Climb(
            convergence=convergence, memory=np.array(seen.memory), noise=np.array(seen.noise)
        ),
        change=float(change),
    )


def _declared(site: Site, named: Mapping[str, Any]) -> int | None:
    name, slot = site.key
    return declared_order(named[name]) if slot == OUTPUT else None
