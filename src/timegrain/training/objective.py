"""What a training lowers and what a score counts."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from jaxtyping import Float, Float64
from torch import Tensor
from torch.nn import functional as F

from timegrain.core.errors import DataError, ModelError
from timegrain.data.task import Task
from timegrain.training.batch import Batch
from timegrain.training.targets import asked, existing_targets

if TYPE_CHECKING:
    from timegrain.training.scaling import Scaling


@dataclass(frozen=True, kw_only=True, eq=False)
class Objective:
    """Cross-entropy for classes; mean squared error on standardised values.

    Args:
        target_kind: `"class"` or `"value"`.
        d_output: Numbers a network gives: classes, or values.
        center: Mean of the training targets, `(d_output,)`; zeros for classes.
        scale: Their standard deviation, 1 where they do not vary; ones for classes.
    """

    target_kind: str
    d_output: int
    center: Float[Tensor, " output"]
    scale: Float[Tensor, " output"]

    @classmethod
    def of(cls, task: Task, *, targets: "Scaling | None" = None) -> "Objective":
        """Return the objective of a task, standardised with the targets of its training part.

        Where there is one for every sample, those behind the end of a sequence do not count, and
        of classes those of -1, where no answer is asked.

        Args:
            task: The task.
            targets: How values are standardised instead.

        Raises:
            DataError: If a value is not finite.
        """
        d_output = task.d_output
        center, scale = torch.zeros(d_output), torch.ones(d_output)
        if task.target_kind == "value":
            known = existing_targets(task.train, d_output, values=True)
            y = torch.as_tensor(known, dtype=torch.float64)
            if not bool(torch.isfinite(y).all()):
                raise DataError("a target is not finite", hint="dropping those sequences")
            center, scale = y.mean(0), y.std(0, correction=0)
            scale = torch.where(scale > 0, scale, torch.ones_like(scale))
            if targets is not None:
                center, scale = torch.tensor(targets.center), torch.tensor(targets.scale)
        return cls(
            target_kind=task.target_kind,
            d_output=d_output,
            center=center.float(),
            scale=scale.float(),
        )

    def targets(self, y: Any, *, per_step: bool = False) -> Tensor:
        """Return targets as a network is trained on them.

        Args:
            y: Labels `(batch,)`, or values `(batch,)` or `(batch, d_output)`; with `per_step` an
                axis of time after the first, labels -1 where no answer is asked.
            per_step: Whether there is a target for every sample.
        """
        if self.target_kind == "class":
            return torch.as_tensor(np.asarray(y), dtype=torch.int64)
        values = torch.as_tensor(np.asarray(y), dtype=torch.float32)
        values = values.reshape(*values.shape[: 2 if per_step else 1], self.d_output)
        return (values - self.center) / self.scale

    def loss(self, out: Tensor, batch: Batch) -> Tensor:
        """Return the mean loss over sequences, or over the samples at which an answer is asked.

        Where none is, it is 0 and so is its gradient.

        Args:
            out: `(batch, d_output)`, or `(batch, time, d_output)`.
            batch: The sequences it was computed from.

        Raises:
            ModelError: If the shape of `out` does not fit the targets.
        """
        out, y = self._flat(out, batch)
        if not len(y):
            return out.sum()
        return F.cross_entropy(out, y) if self.target_kind == "class" else F.mse_loss(out, y)

    def shortfall(
        self, out: Tensor, batch: Batch, *, middle: Float64[np.ndarray, " output"]
    ) -> tuple[Float64[np.ndarray, " case"], Float64[np.ndarray, " case"]]:
        """Return per sequence what is lost and what could be: `score = 1 - sum lost / sum all`.

        For classes: wrong answers and answers. For values: squared error, and squared distance
        from `middle`.

        Args:
            out: As in `loss`.
            batch: As in `loss`.
            middle: Mean of the standardised targets of the part that is scored, `(d_output,)`.
        """
        flat, y = self._flat(out, batch)
        if self.target_kind == "class":
            lost = (flat.argmax(-1) != y).double().cpu().numpy()
            possible = np.ones_like(lost)
        else:
            lost = ((flat - y).double() ** 2).sum(-1).cpu().numpy()
            possible = ((y.double().cpu().numpy() - middle) ** 2).sum(-1)
        if not batch.per_step:
            return lost, possible
        owner = torch.nonzero(asked(batch))[:, 0].cpu().numpy()
        count = len(batch)
        return (
            np.bincount(owner, weights=lost, minlength=count),
            np.bincount(owner, weights=possible, minlength=count),
        )

    def _flat(self, out: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return outputs `(answer, d_output)` and their targets, where an answer is asked."""
        head = tuple(batch.x.shape[:2]) if batch.per_step else (len(batch),)
        if tuple(out.shape) != (*head, self.d_output):
            raise ModelError(
                "the network's output does not fit the task",
                got=f"shape {tuple(out.shape)}",
                expected=f"{(*head, self.d_output)}",
                hint=f"build_model(..., d_output={self.d_output})",
            )
        if not batch.per_step:
            return out, batch.y
        where = asked(batch)
        return out[where], batch.y[where]
