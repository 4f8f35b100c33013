"""How the ladder sees the sequence in a model: its output, or what it pools."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from timegrain.continuity.model.attempt import FAILURES, Attempt, first_line
from timegrain.continuity.model.pooling import find_pooled
from timegrain.continuity.model.readout import Form, to_array
from timegrain.continuity.model.subject import Batch, Sample

UNSEEN = "the model pools over time, and what it pools is not seen"


@dataclass(frozen=True, kw_only=True)
class Reach:
    """A model's readouts.

    Args:
        call: Maps `(x, tau)` to readouts by name; see `Subject`.
        memory_layer: Name of the one whose memory can be measured; None if there is none.
        note: What a reader has to know about that one; empty if nothing.
        reason: Why there is none; empty if there is one.
        together: Whether they can be had of several sequences at once.
    """

    call: Callable[[Batch, float], Mapping[str, np.ndarray]]
    memory_layer: str | None
    note: str = ""
    reason: str = ""
    together: bool = True


def reach(
    attempt: Attempt,
    form: Form,
    samples: tuple[Sample, Sample],
    *,
    pooling: str | None = None,
) -> Reach:
    """Return the readouts of a model: its output and, if it pools, what it pools where possible.

    The submodule that is named comes first, then the model's own `features`; where there are none,
    its operations are watched.

    Args:
        attempt: How to call it.
        form: How to read its output.
        samples: Inputs of two lengths, `(1, time, channel)`.
        pooling: Name of the submodule that pools.

    Raises:
        ModelError: If the submodule that is named is given no sequence.
    """

    def output(x: Batch, tau: float) -> Mapping[str, np.ndarray]:
        return {"output": form.read(to_array(attempt.output(x, tau))[0], x)}

    if not form.pooled:
        return Reach(call=output, memory_layer="output")
    if pooling is not None:
        return _named(attempt, form, samples, pooling)
    inner, failed = _feature_form(attempt, samples)
    if inner is None or attempt.features is None:
        return _watched(attempt, form, samples, output, failed)
    features, inner_form = attempt.features, inner

    def both(x: Batch, tau: float) -> Mapping[str, np.ndarray]:
        return {**output(x, tau), "features": inner_form.read(to_array(features(x, tau))[0], x)}

    return Reach(call=both, memory_layer="features")


def _named(attempt: Attempt, form: Form, samples: tuple[Sample, Sample], name: str) -> Reach:
    from timegrain.continuity.adapter.pooling_input import PoolingInput

    found = PoolingInput.find(lambda x: attempt.output(x, 1.0), samples, attempt.module, name)

    def read(x: Batch, tau: float) -> Mapping[str, np.ndarray]:
        raw, pooled = found.read(lambda x: attempt.output(x, tau), x)
        return {"output": form.read(to_array(raw)[0], x), "pooled": pooled}

    note = f"The model pools over time; its memory is that of what {name} is given."
    return Reach(call=read, memory_layer="pooled", note=note)


def _feature_form(attempt: Attempt, samples: tuple[Sample, Sample]) -> tuple[Form | None, str]:
    """Return how to read the features of a pooling model, or None and why they are not reached."""
    if attempt.features is None:
        return None, "it has no features(x)"
    try:
        shapes = [to_array(attempt.features(x, 1.0))[0].shape for x in samples]
        form = Form.of(shapes, [x.shape[1] for x in samples])
    except FAILURES as error:
        return None, f"its features(x) fails ({first_line(error)})"
    if form.pooled:
        return None, "its features(x) has no time axis"
    return form, ""


def _watched(
    attempt: Attempt,
    form: Form,
    samples: tuple[Sample, Sample],
    output: Callable[[Batch, float], Mapping[str, np.ndarray]],
    failed: str,
) -> Reach:
    try:
        found = find_pooled(lambda x: attempt.output(x, 1.0), samples, module=attempt.module)
    except FAILURES as error:
        return Reach(
            call=output, memory_layer=None, reason=f"{UNSEEN}: {failed}, and {first_line(error)}"
        )

    def watched(x: Batch, tau: float) -> Mapping[str, np.ndarray]:
        raw, pooled = found.read(lambda x: attempt.output(x, tau), x)
        return {"output": form.read(to_array(raw)[0], x), "pooled": pooled}

    note = (
        f"The model pools over time and {failed}; its memory is that of what it pools, found by "
        f"watching its operations: {found.words}."
    )
    return Reach(call=watched, memory_layer="pooled", note=note, together=False)
