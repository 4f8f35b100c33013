"""Step ratios and lengths of one call, read and checked in one place."""

import math
import numbers
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from timegrain.core.errors import GridError, LayoutError
from timegrain.models.options import shown

Tau = float | Tensor

# Times a Delta and a pole both stay far from the ends of float32, in whose place NaN would be.
LEAST_RATIO, LARGEST_RATIO = 2.0**-67, 2.0**30  # numbers of every precision
_RANGE = "(1e-20 to 1e9)"


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
            `(batch, time)`; positive and finite, 1e-20 to 1e9, wherever a sample exists.
            Gradients reach a tensor.
        lengths: Samples that exist in each sequence, `(batch,)`, each in `0..time`.

    Raises:
        GridError: If `tau` has another shape, a value outside that range, or is no real number.
        LayoutError: If `lengths` has another shape or type, or a value outside `0..time`.

    Example:
        >>> read_steps(torch.zeros(1, 3, 1), 2.0, torch.tensor([2])).weights(torch.zeros(1, 3, 1))
        tensor([[2., 2., 0.]])
    """
    valid = None if lengths is None else valid_mask(lengths, x.shape[0], x.shape[1], x.device)
    if not isinstance(tau, Tensor) or (tau.ndim == 0 and not (_learned(tau) or _mapped(tau))):
        return Steps(ratio=_positive_float(tau), valid=valid)
    shape = tuple(x.shape[:2])
    tau = tau.expand(shape[0]) if tau.ndim == 0 else tau
    if tuple(tau.shape) not in (shape[:1], shape):  # no set: a trace has tensors for numbers
        raise GridError(
            "tau does not fit the input",
            got=f"shape {tuple(tau.shape)} for {shape[0]} sequences of {shape[1]} samples",
            expected=f"a float, ({shape[0]},) or {shape}",
        )
    _check_positive(tau, valid)
    ratio = tau.to(device=x.device, dtype=_wide(x))
    return Steps(ratio=ratio[:, None].expand(shape) if ratio.ndim == 1 else ratio, valid=valid)


def read_step(x_t: Float[Tensor, "batch channel"], tau: Tau) -> Float[Tensor, "..."]:
    """Return the ratio of a single step as a tensor `()` or `(batch, 1)`, checked as above.

    Raises:
        GridError: If `tau` is neither a float nor `(batch,)`, or not positive and finite.
    """
    if isinstance(tau, Tensor) and tau.ndim == 0 and _mapped(tau):
        _check_positive(tau, None)
        return tau.to(device=x_t.device, dtype=_wide(x_t))
    if not isinstance(tau, Tensor) or tau.ndim == 0:
        number = _positive_float(tau)
        if isinstance(tau, Tensor) and _learned(tau):
            return tau.to(device=x_t.device, dtype=_wide(x_t))
        return torch.full((), number, dtype=_wide(x_t), device=x_t.device)
    if tuple(tau.shape) != (x_t.shape[0],):
        raise GridError(
            "tau does not fit one step",
            got=f"shape {tuple(tau.shape)}",
            expected=f"a float or ({x_t.shape[0]},)",
        )
    _check_positive(tau, None)
    return tau.to(device=x_t.device, dtype=_wide(x_t))[:, None]


def valid_mask(
    lengths: Int[Tensor, " batch"], batch: int, time: int, device: torch.device
) -> Bool[Tensor, "batch time"]:
    """Return True on the first `lengths[i]` of `time` samples of sequence i.

    Raises:
        LayoutError: If `lengths` is not `(batch,)` whole numbers in `0..time`.
    """
    if not isinstance(lengths, Tensor) or _no_integer(lengths):
        raise _no_lengths(lengths)
    if tuple(lengths.shape) != (batch,):
        raise LayoutError(
            "lengths does not fit the batch", got=tuple(lengths.shape), expected=(batch,)
        )
    lengths = lengths.long()
    if _recorded():
        _record((lengths >= 0) & (lengths <= time), "lengths points outside the input")
    elif batch:
        least, most = (int(n) for n in seen(lengths).aminmax())
        if least < 0 or most > time:
            raise LayoutError(
                "lengths points outside the input",
                got=f"{least}..{most}",
                expected=f"0..{time}",
                hint="dividing lengths by the stride, rounded up, where samples were dropped",
            )
    return torch.arange(time, device=device) < lengths.to(device)[:, None]


def _no_lengths(lengths: object) -> LayoutError:
    kind = str(lengths.dtype) if isinstance(lengths, Tensor) else type(lengths).__name__
    hint = None
    if kind == "torch.bool":
        hint = "lengths=mask.sum(1) for a mask (batch, time)"
    elif isinstance(lengths, Tensor) and lengths.is_floating_point():
        hint = "lengths.round().long()"
    elif not isinstance(lengths, Tensor) and isinstance(lengths, list | tuple | np.ndarray):
        hint = "lengths=torch.as_tensor(lengths)"
    return LayoutError("lengths counts samples", got=kind, expected="an integer tensor", hint=hint)


def where_missing(x: object, lengths: Tensor | None) -> Tensor | None:
    """Return `lengths` in int64 where they leave a sample out, None where every sample exists.

    Without them nothing is masked, which gives the same numbers: on short sequences masks are a
    fifth of a training step. What does not fit is returned as it is, for the checks of others.

    Args:
        x: The input, `(batch, time, ...)`.
        lengths: Samples that exist in each sequence, `(batch,)`.

    Example:
        >>> where_missing(torch.zeros(2, 3, 1), torch.tensor([3, 3])) is None
        True
        >>> where_missing(torch.zeros(2, 3, 1), torch.tensor([3, 1]))
        tensor([3, 1])
    """
    if not (isinstance(lengths, Tensor) and isinstance(x, Tensor)) or x.ndim < 2 or _recorded():
        return lengths
    if lengths.shape != x.shape[:1] or _no_integer(lengths):
        return lengths
    lengths = lengths.long()  # for uint8, 44 is 300
    return None if bool((seen(lengths) == x.shape[1]).all()) else lengths


def _wide(x: Tensor) -> torch.dtype:
    """Return the dtype for ratios: bfloat16 would make a tau of 1.3 one of 1.297."""
    kind = x.dtype
    return kind if kind is torch.float32 else torch.promote_types(kind, torch.float32)


def _no_integer(values: Tensor) -> bool:
    return values.is_floating_point() or values.is_complex() or values.dtype == torch.bool


def _learned(tau: Tensor) -> bool:
    """Return whether a gradient has to reach a ratio."""
    return tau.requires_grad and torch.is_grad_enabled()


def _positive_float(tau: object) -> float:
    number = tau if isinstance(tau, float) else _number(tau)
    if number is None:
        raise GridError("tau is a ratio of steps", got=shown(tau), expected="a float or a tensor")
    if not LEAST_RATIO <= number <= LARGEST_RATIO:
        raise GridError(
            "tau is a ratio of steps, dt / dt_trained",
            got=shown(tau),
            expected=f"a positive, finite number {_RANGE}",
            hint="tau=0.5 for a grid twice as fine, tau=4.0 for every fourth sample",
        )
    return number


def _number(tau: object) -> float | None:
    """Return the one real number that something else than a float is, None where it is none."""
    try:
        value = tau.item() if hasattr(tau, "item") else tau
        real = isinstance(value, numbers.Real) and not isinstance(value, bool)
        return float(value) if real else None  # type: ignore[arg-type]
    except (ValueError, RuntimeError):  # an array of several numbers; a tensor without values
        return None
    except OverflowError:
        return math.inf


def _check_positive(tau: Tensor, valid: Tensor | None) -> None:
    """Check one ratio a sequence or one a sample, as they are given: float32 has no 1e39."""
    if tau.is_complex() or tau.dtype == torch.bool:
        raise GridError("tau is a ratio of steps", got=tau.dtype, expected="real numbers")
    ratio = tau.to(torch.promote_types(tau.dtype, torch.float32))
    ratio = ratio[:, None] if ratio.ndim == 1 else ratio
    wrong = ~((ratio >= LEAST_RATIO) & (ratio <= LARGEST_RATIO))
    wrong = wrong if valid is None else wrong & valid.to(wrong.device)
    if _recorded():
        _record(~wrong, "tau is a ratio of steps, positive and finite")
    elif bool(seen(wrong).any()):
        value, text = _first_of(ratio, wrong)
        raise GridError(
            "tau is a ratio of steps, dt / dt_trained",
            got=text,
            expected=f"positive, finite numbers {_RANGE}",
            hint="sorting the times and removing equal timestamps" if value < LEAST_RATIO else None,
        )


def _first_of(ratio: Tensor, wrong: Tensor) -> tuple[float, str]:
    """Return the first wrong ratio, and the same with its place in words."""
    if _mapped(wrong):
        return math.nan, "another one in a call under torch.func.vmap"
    row, column = (int(i) for i in wrong.nonzero()[0])
    value = ratio.expand_as(wrong)[row, column].item()
    return value, f"{value} at sequence {row}, sample {column}"


def seen(values: Tensor) -> Tensor:
    """Return the numbers behind a tensor that `torch.func` transforms: those of all calls at once.

    Example:
        >>> torch.func.vmap(lambda n: n + seen(n).max())(torch.tensor([1, 5]))
        tensor([ 6, 10])
    """
    if torch._C._are_functorch_transforms_active():
        while torch._C._functorch.is_functorch_wrapped_tensor(values):
            values = torch._C._functorch.get_unwrapped(values)
    return values


def _mapped(values: Tensor) -> bool:
    """Return whether `torch.func.vmap` calls for each of several values, so that none has one."""
    if torch.compiler.is_compiling() or not torch._C._are_functorch_transforms_active():
        return False
    while torch._C._functorch.is_functorch_wrapped_tensor(values):
        if torch._C._functorch.is_batchedtensor(values):
            return True
        values = torch._C._functorch.get_unwrapped(values)
    return False


def _recorded() -> bool:
    """Return whether operations are being recorded, whose values are not there yet."""
    return torch.compiler.is_compiling() or torch.jit.is_tracing()


def _record(fits: Tensor, text: str) -> None:
    """Record a check for the time of the call; a trace of torch.jit drops it."""
    torch._assert_async(fits.all(), text)
