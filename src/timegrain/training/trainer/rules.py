"""The gradient rule that the options of a training ask for, and what a reader has to know of it."""

from timegrain.training.batch_norms import batch_norms
from timegrain.training.trainer.accumulation import AccumulatedGradient
from timegrain.training.trainer.determinism import determinism_note
from timegrain.training.trainer.gradient import GradientRule, PlainGradient
from timegrain.training.trainer.material import Material
from timegrain.training.trainer.precision import Precision
from timegrain.training.trainer.state import TrainingState
from timegrain.training.trainer.stopping import EarlyStopping
from timegrain.training.truncated.gradient import TruncatedGradient
from timegrain.training.wording import count


def gradient_rule(material: Material, state: TrainingState) -> GradientRule:
    """Return how the gradient of a step comes about; what it changes is resumed with the state.

    Args:
        material: What the training works with.
        state: Where it is.
    """
    model, objective, settings = material.model, material.objective, material.settings
    precision = Precision.of(settings.amp, model)
    if settings.amp is not None:
        state.extras["precision"] = precision
    rule: GradientRule = PlainGradient(model, objective, state.optimiser, precision)
    if settings.tbptt is not None:
        rule = TruncatedGradient(
            model=model,
            objective=objective,
            size=settings.tbptt,
            whole=rule,
            precision=precision,
        )
    if settings.accumulate > 1:
        rule = AccumulatedGradient(model, rule, settings.accumulate)
    return rule


def option_notes(material: Material, stopping: EarlyStopping | None) -> tuple[str, ...]:
    """Return sentences on truncation, early stopping, precision and determinism, if asked for.

    Args:
        material: What the training worked with.
        stopping: What stopped it early.
    """
    settings = material.settings
    stopped = "" if stopping is None else stopping.sentence
    halves = f"Mixed precision: matrix products in {settings.amp}, scores in float32."
    return (
        *_truncation_note(material),
        *([f"Early stopping: {material.held_out_sentence}; {stopped}."] if stopped else []),
        *([stopping.warning] if stopping is not None and stopping.warning else []),
        *([] if settings.amp is None else [halves]),
        *([determinism_note()] if settings.deterministic else []),
    )


def _truncation_note(material: Material) -> tuple[str, ...]:
    size = material.settings.tbptt
    # what is behind the end of the longest sequence is no part of any chunk
    lengths, time = material.data.lengths, int(material.data.x.shape[1])
    time = time if lengths is None else int(lengths.max())
    longest = max(-(-time // settings.stride) for settings in material.course.epochs)
    if size is None or longest <= size:
        return ()
    return (
        f"Back-propagated through {count(size, 'sample')} at a time, from a state that was carried "
        "along: what lies further back had no part in a gradient but through that state."
        + (" Batch norms saw a chunk at a time." if batch_norms(material.model) else ""),
    )
