"""The fields that every result of a refined model shares, from what was planned."""

import dataclasses
from typing import Any

from timegrain.continuity.model.inputs import Inputs
from timegrain.continuity.model.options import ModelOptions
from timegrain.continuity.model.subject import Subject
from timegrain.continuity.model.weights import weights_sha256
from timegrain.core.provenance import Provenance


def how_called(first: Subject) -> dict[str, Any]:
    """Return how a model was called, where its memory was measured, and whose weights it has.

    Args:
        first: The first pair's model.
    """
    return {
        "adapter": dict(first.settings),
        "memory_at": first.memory_layer,
        "weights_sha256": weights_sha256(first.source),
    }


def how_refined(
    first: Subject,
    inputs: Inputs,
    opts: ModelOptions,
    *,
    rescale: bool,
    n_pairs: int,
    signal_order: float | None,
) -> dict[str, Any]:
    """Return the fields of a `RefinedModel`, and its name and provenance.

    Args:
        first: The first pair's model.
        inputs: The signals.
        opts: What was asked for.
        rescale: Whether the model was told its step.
        n_pairs: Pairs that were measured.
        signal_order: Of the input itself, median over pairs.
    """
    asked = {
        "model": first.name,
        "signal": inputs.source,
        **dataclasses.asdict(opts),
        **how_called(first),
    }
    return {
        "name": first.name,
        "provenance": Provenance.collect(seed=opts.seed, parameters=asked),
        "scope": opts.measured_scope,
        "protocol": "rescale" if rescale else "native",
        "refine": inputs.refine,
        "norm": opts.norm,
        "signal": inputs.source,
        "options": dict(opts.options),
        "dtype": first.dtype,
        "dt": inputs.grid.dt,
        "unit": inputs.grid.unit,
        "length": inputs.grid.n,
        "levels": opts.levels,
        "d_input": inputs.n_channels,
        "n_pairs": n_pairs,
        "amplitudes": opts.amplitudes,
        "takes_tau": first.told,
        "trained_dt": first.trained_dt,
        "signal_order": signal_order,
    }
