"""Compiled loops made ready before the clock of a training runs."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from timegrain.models.layer import SequenceLayer
from timegrain.training.score import device_of
from timegrain.training.trainer.network_state import buffers_kept
from timegrain.training.truncated.long_batch import LongBatch

if TYPE_CHECKING:
    from timegrain.training.batch import Batch
    from timegrain.training.plan.settings import StepSettings
    from timegrain.training.trainer.gradient import GradientRule
    from timegrain.training.trainer.material import Material

CHUNKS = 2  # of a truncated training: the second begins with a state

_spent = [0.0]
_ready: set[tuple[object, ...]] = set()
"""What this process has gone through, so that the next training alike does not do it again."""


@contextmanager
def warming() -> Iterator[None]:
    """Count the seconds of a block as spent before the clock of a training."""
    began = time.perf_counter()
    try:
        yield
    finally:
        _spent[0] += time.perf_counter() - began


def warming_seconds() -> float:
    """Return the seconds this process has spent so far, for clocks that run around trainings."""
    return _spent[0]


def warm_stages(material: "Material", rule: "GradientRule") -> None:
    """Go forward and back once as each stage does.

    Which loops run depends on the samples, the sequences and the step a stage has, so that a
    single pass would leave some to be compiled in a measured step. Weights, buffers and gradients
    stay as they were. Networks without layers of this package have nothing to compile here, nor
    has any device but the CPU.

    Args:
        material: What the training works with.
        rule: How the gradient of a batch comes about.
    """
    model = material.model
    ours = any(isinstance(m, SequenceLayer) for m in model.modules())
    if not ours or device_of(model).type != "cpu":
        return
    for settings in dict.fromkeys(material.course.epochs):
        batch = _batch(material, settings)
        words = material.settings
        key = (
            *(repr(model), settings, tuple(batch.x.shape)),
            *(words.tbptt, words.amp, words.accumulate),
        )
        if key in _ready:
            continue
        with buffers_kept(model):
            rule(batch, settings, 0)
        model.zero_grad()
        _ready.add(key)


def _batch(material: "Material", settings: "StepSettings") -> "Batch":
    n = min(settings.batch_size, len(material.data))
    chosen = material.data.take(torch.arange(n))
    if not isinstance(chosen, LongBatch):
        return chosen
    size = material.settings.tbptt or chosen.time
    return chosen.read(0, min(chosen.time, CHUNKS * size * settings.stride))
