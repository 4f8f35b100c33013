"""Whether a model is told its step as its adapter says."""

import numpy as np

from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.model.attempt import Attempt
from timegrain.continuity.model.readout import to_array
from timegrain.continuity.model.subject import Sample
from timegrain.core.errors import ModelError


def check_reaches(adapter: ModelAdapter, attempt: Attempt, sample: Sample, name: str) -> None:
    """Refuse a model that answers the same at another step: what it was told went nowhere.

    Args:
        adapter: How it is told.
        attempt: How it is called.
        sample: An input, `(1, time, channel)`.
        name: For errors.

    Raises:
        ModelError: If it does.
    """
    told = adapter.telling
    if told is None:
        return
    one, half = (to_array(attempt.output(sample, tau))[0] for tau in (1.0, 0.5))
    if one.shape == half.shape and np.array_equal(one, half):
        raise ModelError(
            f"tau does not reach {name}: {told.words}",
            got="the same output at tau = 1 and at tau = 1/2",
            expected="an output that depends on the step",
            hint="another way to tell it, or tau=None where it cannot be told",
        )
