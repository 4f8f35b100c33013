"""The score of a network on a part of a task, at any stride, with an interval."""

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float64
from torch import nn

from timegrain.core.errors import ConfigError, DataError, ModelError
from timegrain.data.task import Part, Task
from timegrain.models.options import whole
from timegrain.stats.bootstrap import ratio_intervals
from timegrain.training.batch import Batch, decimate
from timegrain.training.objective import Objective
from timegrain.training.units import ScoredOver, ScoreUnits, score_units

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
        ConfigError: If `part`, `batch_size` or `chunk` is outside its domain.
        DataError: If the part is empty or its values do not vary.
        GridError: If `stride < 1`.
        ModelError: If the network does not fit the task or answers NaN or infinity.
    """
    if part not in ("train", "test"):
        raise ConfigError("a task has no such part", got=repr(part), expected="'train' or 'test'")
    if batch_size < 1:
        raise ConfigError(
            "a batch needs a sequence", got=f"batch_size={batch_size}", expected="1 or more"
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
) -> Score:
    """Return the score of a network on sequences as they are.

    Args:
        model: As in `evaluate`.
        batch: The sequences.
        objective: What is counted.
        tau: What the network is told.
        batch_size: Sequences at once.
        units: Which of them belong together; None where each stands for itself.

    Raises:
        DataError: If there is no sequence or the values do not vary.
        ModelError: If the network does not fit the task or answers NaN or infinity.
    """
    lost, possible = shortfalls(model, batch, objective, tau=tau, batch_size=batch_size)
    one_answer = objective.target_kind == "class" and not batch.per_step
    return score_of(lost, possible, one_answer=one_answer, units=units)


def shortfalls(
    model: nn.Module, batch: Batch, objective: Objective, *, tau: float, batch_size: int = 64
) -> tuple[Float64[np.ndarray, " case"], Float64[np.ndarray, " case"]]:
    """Return what a network loses on each sequence and what it could: see `Objective.shortfall`.

    Args:
        model: As in `evaluate`.
        batch: The sequences.
        objective: What is counted.
        tau: What the network is told.
        batch_size: Sequences at once.

    Raises:
        ModelError: If the network does not fit the task or answers NaN or infinity.
    """
    check_interface(model)
    device = device_of(model)
    middle = _middle(batch, objective)
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            sums = [
                objective.shortfall(_answers(model, chosen, tau), chosen, middle=middle)
                for index in torch.arange(len(batch)).split(batch_size)
                for chosen in [batch.take(index).to(device)]
            ]
    finally:
        model.train(was_training)
    lost, possible = (np.concatenate(column) for column in zip(*sums, strict=True))
    return lost, possible


def score_of(
    lost: Float64[np.ndarray, " case"],
    possible: Float64[np.ndarray, " case"],
    *,
    one_answer: bool,
    units: ScoreUnits | None = None,
) -> Score:
    """Return `1 - sum lost / sum possible` with its interval over cases, or over units of them.

    Over units it is Student's t times the error of a ratio of sums over units (the jackknife's
    below 60, else a bootstrap's), and never narrower than if the cases were independent: a few
    units that agree by chance do not make a score sure.

    Args:
        lost: As from `Objective.shortfall`.
        possible: As from `Objective.shortfall`.
        one_answer: Whether each case is one right or wrong answer; the interval is then Wilson's,
            else that of a ratio of sums.
        units: Which cases belong together; None where each stands for itself.

    Raises:
        DataError: If nothing could be lost.
    """
    if not possible.sum() > 0:
        raise DataError("values that do not vary have no score", got=f"{len(lost)} sequences")
    low, high = _wilson(lost) if one_answer else _ratio(lost, possible)
    n = len(lost)
    over = ScoredOver(unit="sequence", n_units=n, case="sequence", n_cases=n)
    if units is not None:
        over = units.over
        if units.of is not None:
            low, high = _over_units(lost, possible, units.of, (low, high), one_answer=one_answer)
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
        ModelError: If there should be a target for every sample and there is one a sequence.
    """
    x = torch.as_tensor(np.asarray(part.x))
    if len(x) == 0:
        raise DataError("a part of the task is empty", expected="at least one sequence")
    if per_step:
        check_targets(part)
    lengths = torch.as_tensor(np.asarray(part.lengths), dtype=torch.int64)
    full = bool((lengths == x.shape[1]).all())
    return Batch(
        x=x,
        y=objective.targets(part.y, per_step=per_step),
        lengths=None if full else lengths,
        per_step=per_step,
    )


def check_targets(part: Part) -> None:
    """Check that there is a target for every sample.

    Raises:
        ModelError: If there is not.
    """
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


def _wilson(lost: np.ndarray) -> tuple[float, float]:
    """Return the interval of the share of right answers.

    Source:
        Wilson, Probable Inference, the Law of Succession, and Statistical Inference (Journal of
        the American Statistical Association 1927).
    """
    n, p, z = len(lost), 1.0 - float(lost.mean()), 1.959963984540054
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _ratio(lost: np.ndarray, possible: np.ndarray) -> tuple[float | None, float | None]:
    if len(lost) < 2:
        return None, None
    ends = ratio_intervals(lost[:, None, None], possible[:, None, None], seed=0)
    return 1.0 - float(ends.high[0, 0]), 1.0 - float(ends.low[0, 0])


def _over_units(
    lost: np.ndarray,
    possible: np.ndarray,
    of: np.ndarray,
    alone: tuple[float | None, float | None],
    *,
    one_answer: bool,
) -> tuple[float | None, float | None]:
    """Return the interval over units; `alone` is that of independent cases."""
    if of.max() < 1 or alone[0] is None or alone[1] is None:
        return None, None
    low, high = _ratio(np.bincount(of, weights=lost), np.bincount(of, weights=possible))
    if one_answer and lost.min() == lost.max():
        # all right or all wrong: as sure as that many units make it
        low, high = _wilson(lost[: int(of.max()) + 1])
    if low is None or high is None:
        return None, None
    low, high = min(low, alone[0]), max(high, alone[1])
    return (max(low, 0.0), min(high, 1.0)) if one_answer else (low, high)
