"""Step ratios and lengths of one call, read and checked in one place."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from timegrain.core.errors import GridError, LayoutError

Tau = float | Tensor


@dataclass(frozen=True, kw_only=True)
class Steps:
    """What a layer needs to know of time in one call.

    Args:
        ratio: `s_k = (t_k - t_{k-1}) / dt_trained`: one float, or a tensor `(batch, time)`.
        valid: True on samples that exist, shape `(batch, time)`; None when all do.
    """

    ratio: float | Float[Tensor, "batch time"]
    valid: Bool[Tensor, "batch time"] | None = None

    @property
    def uniform(self) -> bool:
        """Whether every step has the same ratio, padding aside."""
        return not isinstance(self.ratio, Tensor)

    def weights(self, x: Tensor) -> Float[Tensor, "batch time"]:
        """Return the ratios as `(batch, time)`, zero on padding: a step of no time changes nothing.

        Args:
            x: The input, for shape, dtype and device.
        """
        if isinstance(self.ratio, Tensor):
            ratio = self.ratio
        else:
            ratio = torch.full(x.shape[:2], self.ratio, dtype=_wide(x), device=x.device)
        return ratio if self.valid is None else ratio.masked_fill(~self.valid, 0.0)

    def clear(self, x: Float[Tensor, "batch time channel"]) -> Float[Tensor, "batch time channel"]:
        """Return `x` with zeros on padding, so that nothing there can reach a sum or a gradient."""
        return x if self.valid is None else x.masked_fill(~self.valid[..., None], 0.0)


def read_steps(
    x: Float[Tensor, "batch time channel"], tau: Tau, lengths: Int[Tensor, " batch"] | None
) -> Steps:
    """Turn `tau` and `lengths` into checked `Steps`.

    Args:
        x: The input, for shape, dtype and device.
        tau: `dt / dt_trained`: a float, one per sequence `(batch,)`, or one per step
            `(batch, time)`; positive and finite wherever a sample exists.
        lengths: Samples that exist in each sequence, `(batch,)`, each in `0..time`.

    Raises:
        GridError: If `tau` has another shape, or a value that is not positive and finite.
        LayoutError: If `lengths` has another shape or type, or a value outside `0..time`.

    Example:
        >>> read_steps(torch.zeros(1, 3, 1), 2.0, torch.tensor([2])).weights(torch.zeros(1, 3, 1))
        tensor([[2., 2., 0.]])
    """
    valid = None if lengths is None else valid_mask(lengths, x.shape[0], x.shape[1], x.device)
    if not isinstance(tau, Tensor) or tau.ndim == 0:
        return Steps(ratio=_positive_float(tau), valid=valid)
    shape = tuple(x.shape[:2])
    if tuple(tau.shape) not in {shape[:1], shape}:
        raise GridError(
            "tau does not fit the input",
            got=f"shape {tuple(tau.shape)} for {shape[0]} sequences of {shape[1]} samples",
            expected=f"a float, ({shape[0]},) or {shape}",
        )
    ratio = tau.to(device=x.device, dtype=_wide(x))
    ratio = ratio[:, None].expand(shape) if ratio.ndim == 1 else ratio
    _check_positive(ratio, valid)
    return Steps(ratio=ratio, valid=valid)


def read_step(x_t: Float[Tensor, "batch channel"], tau: Tau) -> Float[Tensor, "..."]:
    """Return the ratio of a single step as a tensor `()` or `(batch, 1)`, checked as above.

    Raises:
        GridError: If `tau` is neither a float nor `(batch,)`, or not positive and finite.
    """
    if not isinstance(tau, Tensor) or tau.ndim == 0:
        return torch.tensor(_positive_float(tau), dtype=_wide(x_t), device=x_t.device)
    if tuple(tau.shape) != (x_t.shape[0],):
        raise GridError(
            "tau does not fit one step",
            got=f"shape {tuple(tau.shape)}",
            expected=f"a float or ({x_t.shape[0]},)",
        )
    ratio = tau.to(device=x_t.device, dtype=_wide(x_t))[:, None]
    _check_positive(ratio, None)
    return ratio


def valid_mask(
    lengths: Int[Tensor, " batch"], batch: int, time: int, device: torch.device
) -> Bool[Tensor, "batch time"]:
    """Return True on the first `lengths[i]` of `time` samples of sequence i.

    Raises:
        LayoutError: If `lengths` is not `(batch,)` whole numbers in `0..time`.
    """
    if not isinstance(lengths, Tensor) or lengths.is_floating_point() or lengths.is_complex():
        kind = f"{lengths.dtype}" if isinstance(lengths, Tensor) else type(lengths).__name__
        raise LayoutError("lengths counts samples", got=kind, expected="an integer tensor")
    if tuple(lengths.shape) != (batch,):
        raise LayoutError(
            "lengths does not fit the batch", got=tuple(lengths.shape), expected=(batch,)
        )
    if batch and not (int(lengths.min()) >= 0 and int(lengths.max()) <= time):
        raise LayoutError(
            "lengths points outside the input",
            got=f"{int(lengths.min())}..{int(lengths.max())}",
            expected=f"0..{time}",
            hint="dividing lengths by the stride, rounded up, where samples were dropped",
        )
    return torch.arange(time, device=device) < lengths.to(device)[:, None]


def _wide(x: Tensor) -> torch.dtype:
    """Return the dtype for ratios: bfloat16 would make a tau of 1.3 one of 1.297."""
    return torch.promote_types(x.dtype, torch.float32)


def _positive_float(tau: object) -> float:
    try:
        value = float(tau)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise GridError(
            "tau is a ratio of steps", got=repr(tau), expected="a float or a tensor"
        ) from None
    if isinstance(tau, bool) or not (math.isfinite(value) and value > 0):
        raise GridError(
            "tau is a ratio of steps, dt / dt_trained",
            got=tau,
            expected="a positive, finite number",
            hint="tau=0.5 for a grid twice as fine, tau=4.0 for every fourth sample",
        )
    return value


def _check_positive(ratio: Tensor, valid: Tensor | None) -> None:
    wrong = ~((ratio > 0) & torch.isfinite(ratio))
    wrong = wrong if valid is None else wrong & valid
    if bool(wrong.any()):
        row, column = (int(i) for i in wrong.nonzero()[0])
        raise GridError(
            "tau is a ratio of steps, dt / dt_trained",
            got=f"{float(ratio[row, column])} at sequence {row}, sample {column}",
            expected="positive, finite numbers",
            hint="sorting the times and removing equal timestamps",
        )
