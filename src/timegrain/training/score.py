"""The score of a network on a part of a task, at any stride, with an interval."""

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from jaxtyping import Float64
from torch import nn

from timegrain.core.errors import ConfigError, DataError, GridError, ModelError
from timegrain.data.task import Part, Task
from timegrain.models.options import shown, whole
from timegrain.training.batch import Batch, decimate
from timegrain.training.distributed.cases import Sums, over_batches
from timegrain.training.objective import Objective
from timegrain.training.score_interval import score_interval
from timegrain.training.targets import is_per_sample
from timegrain.training.trainer.numbers import is_number, plain_number
from timegrain.training.units import ScoredOver, ScoreUnits, score_units

if TYPE_CHECKING:
    from timegrain.training.distributed.team import Team

PartName = Literal["train", "test"]


class AnswerError(ModelError):
    """A network whose answer is NaN or infinity, which would be counted as wrong or right."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """Accuracy or R^2 with a 95 % interval over what is independent.

    Args:
        score: The score.
        low: Lower end; None with fewer than two independent units.
        high: Upper end.
        n: Sequences.
        correct: For one class a sequence, `"1"` for each right answer and `"0"` for each wrong
            one, in order; else None.
        over: What the interval is over.
    """

    score: float
    low: float | None
    high: float | None
    n: int
    over: ScoredOver
    correct: str | None = None

    @property
    def reasons(self) -> dict[str, str]:
        """Why there is no interval, by the name of its ends; empty where there is one."""
        return {} if self.low is not None else dict.fromkeys(("low", "high"), self.over.why_none)


def evaluate(
    model: nn.Module,
    task: Task,
    *,
    part: PartName = "test",
    stride: int = 1,
    tau: float | None = None,
    batch_size: int = 64,
    chunk: int | None = None,
) -> Score:
    """Return the score of a network on every `stride`-th sample, from the first on.

    Args:
        model: `forward(x, tau=1.0, *, lengths=None)`; left in the mode it was in.
        task: The task.
        part: Which part of it.
        stride: Keep one sample in so many.
        tau: What the network is told; None tells it the stride.
        batch_size: Sequences at once; does not change the score.
        chunk: Samples at once of those that are kept, from a state that is carried along: for
            windows that do not fit into memory, as `train(..., tbptt=...)`. None takes whole ones.

    Raises:
        ConfigError: If `part`, `tau`, `batch_size` or `chunk` is outside its domain.
        DataError: If the part is empty or its values do not vary.
        GridError: If `stride` is no whole number >= 1.
        ModelError: If the network does not fit the task or answers NaN or infinity.
    """
    if part not in ("train", "test"):
        raise ConfigError("a task has no such part", got=repr(part), expected="'train' or 'test'")
    whole("batch_size", batch_size, least=1)
    if isinstance(stride, bool) or not isinstance(stride, int | np.integer) or stride < 1:
        raise GridError(
            "samples cannot be dropped like this",
            got=f"stride={shown(stride)}",
            expected="a whole number, 1 or more",
        )
    ratio = plain_number(tau)
    if ratio is not None and not (is_number(ratio) and 0 < ratio < math.inf):
        raise ConfigError(
            "tau is a step ratio", got=f"tau={shown(tau)}", expected="a number above 0, or None"
        )
    objective, scored = Objective.of(task), getattr(task, part)
    per_step = is_per_step(model)
    told = float(stride) if tau is None else tau
    if chunk is None:
        batch = decimate(make_batch(scored, objective, per_step=per_step), stride)
        units = score_units(task, part)
        return score_batch(model, batch, objective, tau=told, batch_size=batch_size, units=units)
    from timegrain.training.truncated.long_batch import LongBatch
    from timegrain.training.truncated.scoring import score_in_chunks

    return score_in_chunks(
        model,
        LongBatch.of(scored, objective, per_step=per_step),
        objective,
        size=whole("chunk", chunk, least=1),
        tau=told,
        stride=stride,
        batch_size=batch_size,
        units=score_units(task, part),
    )


def score_batch(
    model: nn.Module,
    batch: Batch,
    objective: Objective,
    *,
    tau: float,
    batch_size: int = 64,
    units: ScoreUnits | None = None,
    team: "Team | None" = None,
) -> Score:
    """Return the score of a network on sequences as they are.

    Args:
        model: As in `evaluate`.
        batch: The sequences.
        objective: What is counted.
        tau: What the network is told.
        batch_size: Sequences at once.
        units: Which of them belong together; None where each stands for itself.
        team: The processes that each score a share; None where this one is alone.

    Raises:
        DataError: If there is no sequence or the values do not vary.
        ModelError: If the network does not fit the task or answers NaN or infinity.
    """
    lost, possible = shortfalls(model, batch, objective, tau=tau, batch_size=batch_size, team=team)
    one_answer = objective.target_kind == "class" and not batch.per_step
    share = objective.target_kind == "class"
    return score_of(lost, possible, one_answer=one_answer, share=share, units=units)


def shortfalls(
    model: nn.Module,
    batch: Batch,
    objective: Objective,
    *,
    tau: float,
    batch_size: int = 64,
    team: "Team | None" = None,
) -> tuple[Float64[np.ndarray, " case"], Float64[np.ndarray, " case"]]:
    """Return what a network loses on each sequence and what it could: see `Objective.shortfall`.

    Args:
        model: As in `evaluate`.
        batch: The sequences.
        objective: What is counted.
        tau: What the network is told.
        batch_size: Sequences at once.
        team: As for `score_batch`.

    Raises:
        ModelError: If the network does not fit the task or answers NaN or infinity.
    """
    check_interface(model)
    device = device_of(model)
    middle = _middle(batch, objective)
    was_training = model.training

    def lost_on(index: torch.Tensor) -> Sums:
        chosen = batch.take(index).to(device)
        return objective.shortfall(_answers(model, chosen, tau), chosen, middle=middle)

    model.eval()
    try:
        with torch.no_grad():
            return over_batches(lost_on, len(batch), batch_size=batch_size, team=team)
    finally:
        model.train(was_training)


def score_of(
    lost: Float64[np.ndarray, " case"],
    possible: Float64[np.ndarray, " case"],
    *,
    one_answer: bool,
    share: bool | None = None,
    units: ScoreUnits | None = None,
) -> Score:
    """Return `1 - sum lost / sum possible` with its interval over cases, or over units of them.

    `score_interval` says how the interval is made.

    Args:
        lost: As from `Objective.shortfall`.
        possible: As from `Objective.shortfall`.
        one_answer: Whether each case is one right or wrong answer.
        share: Whether right and wrong answers are counted, one a case or several; None for what
            `one_answer` says.
        units: Which cases belong together; None where each stands for itself.

    Raises:
        DataError: If nothing could be lost.
    """
    if not possible.sum() > 0:
        what = "samples at which no answer is asked" if share else "values that do not vary"
        raise DataError(f"{what} have no score", got=f"{len(lost)} sequences")
    n = len(lost)
    over = ScoredOver(unit="sequence", n_units=n, case="sequence", n_cases=n)
    over = over if units is None else units.over
    low, high = score_interval(
        lost,
        possible,
        of=None if units is None else units.of,
        one_answer=one_answer,
        share=one_answer if share is None else share,
    )
    score = float(1.0 - lost.sum() / possible.sum())
    correct = "".join("0" if wrong else "1" for wrong in lost) if one_answer else None
    return Score(score=score, low=low, high=high, n=n, over=over, correct=correct)


def _answers(model: nn.Module, batch: Batch, tau: float) -> torch.Tensor:
    out: torch.Tensor = model(batch.x, tau, lengths=batch.lengths)
    seen = out[batch.valid] if batch.per_step and out.shape[:2] == batch.x.shape[:2] else out
    check_answers(seen, samples=batch.x.shape[1], tau=tau)
    return out


def check_answers(answers: torch.Tensor, *, samples: int, tau: float) -> None:
    """Check that what a network answered is finite.

    Args:
        answers: Of any shape.
        samples: Samples a sequence that it was given.
        tau: What it was told.

    Raises:
        AnswerError: If one is not.
    """
    if not bool(torch.isfinite(answers).all()):
        kind = "NaN" if bool(torch.isnan(answers).any()) else "infinity"
        raise AnswerError(
            "the network's answers are not finite",
            got=f"{kind} at {samples} samples a sequence and tau = {tau:g}",
            hint="training it again with a lower learning rate",
        )


def make_batch(part: Part, objective: Objective, *, per_step: bool = False) -> Batch:
    """Return a part of a task as tensors; lengths are left out where every sample exists.

    Raises:
        DataError: If the part has no sequence.
        ModelError: If there should be a target for every sample and there is one a sequence, or
            the other way round.
    """
    x = torch.as_tensor(np.asarray(part.x))
    if len(x) == 0:
        raise DataError("a part of the task is empty", expected="at least one sequence")
    check_targets(part, objective, per_step=per_step)
    lengths = torch.as_tensor(np.asarray(part.lengths), dtype=torch.int64)
    full = bool((lengths == x.shape[1]).all())
    return Batch(
        x=x,
        y=objective.targets(part.y, per_step=per_step),
        lengths=None if full else lengths,
        per_step=per_step,
    )


def check_targets(part: Part, objective: Objective, *, per_step: bool) -> None:
    """Check that there is a target for every sample where a network answers at each, else not.

    Args:
        part: Of a task.
        objective: Of the task.
        per_step: Whether the network answers at every sample.

    Raises:
        ModelError: If there are others.
    """
    if not per_step:
        width = 1 if objective.target_kind == "class" else objective.d_output
        if is_per_sample(part, width):
            raise ModelError(
                "a network that answers once a sequence needs one target a sequence",
                got=f"targets of shape {np.shape(part.y)}, one a sample",
                hint="head='step', which answers at every sample",
            )
        return
    wanted, found = tuple(part.x.shape[:2]), np.shape(part.y)
    if found[:2] != wanted:
        raise ModelError(
            "a network that answers at every sample needs a target at every sample",
            got=f"head='step' and targets of shape {found} for {wanted[0]} sequences of "
            f"{wanted[1]} samples",
            hint="head='mean' or head='last', which answer once a sequence",
        )


def is_per_step(model: nn.Module) -> bool:
    """Return whether a network answers at every sample."""
    config = getattr(model, "config", None)
    return isinstance(config, Mapping) and config.get("head") == "step"


def device_of(model: nn.Module) -> torch.device:
    """Return where the weights are; the CPU for a network without any."""
    first = next(model.parameters(), None)
    return torch.device("cpu") if first is None else first.device


def check_interface(model: nn.Module) -> None:
    """Check that a network is one, says whether it can be told its step, and takes lengths.

    Raises:
        ModelError: If it is not, or does not.
    """
    if not isinstance(model, nn.Module):
        raise ModelError(
            "a network is needed",
            got=repr(model) if isinstance(model, str) else type(model).__name__,
            expected="an nn.Module with takes_tau and forward(x, tau=1.0, *, lengths=None)",
            hint="build_model(...)",
        )
    if not isinstance(getattr(model, "takes_tau", None), bool):
        raise ModelError(
            f"{type(model).__name__} does not say whether it takes tau",
            expected="takes_tau = True or False, and forward(x, tau=1.0, *, lengths=None)",
            hint="build_model(...), or adding the attribute",
        )
    _check_forward(model)


def _check_forward(model: nn.Module) -> None:
    try:
        signature = inspect.signature(model.forward)
    except (TypeError, ValueError):  # written in another language
        return
    try:
        signature.bind(None, 1.0, lengths=None)
    except TypeError as error:
        raise ModelError(
            f"{type(model).__name__} cannot be called as networks are here",
            got=f"forward{signature}: {error}",
            expected="forward(x, tau=1.0, *, lengths=None)",
            hint="build_model(...), or adding the arguments",
        ) from error


def _middle(batch: Batch, objective: Objective) -> np.ndarray:
    if objective.target_kind == "class":
        return np.zeros(objective.d_output)
    y = batch.y[batch.valid] if batch.per_step else batch.y
    return y.double().mean(0).cpu().numpy()
