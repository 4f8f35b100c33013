"""The compiled loops as a function that autograd knows."""

from typing import Any

import torch
from jaxtyping import Complex, Float
from torch import Tensor
from torch.nn import functional as F

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.dplr import numba_ as loops
from timegrain.kernels.plain import plain, saved
from timegrain.kernels.threads import run_shared
from timegrain.kernels.vectors.lanes import LANE_BYTES

CHUNK = 32
"""Steps between states that are kept; a chunk of states stays in the first-level cache."""
_LANES = LANE_BYTES // 8


def dplr_scan_numba(
    u: Float[Tensor, "b l d"],
    delta: Float[Tensor, " d"],
    Lambda: Complex[Tensor, "d n"],
    P: Complex[Tensor, "d n"],
    B: Complex[Tensor, "d n"],
    C: Complex[Tensor, "d n"],
    steps: Float[Tensor, "#b l"],
    state: Complex[Tensor, "b d n"],
) -> tuple[Float[Tensor, "b l d"], Complex[Tensor, "b d n"]]:
    """Return y and the last state, computed in double precision whatever the dtype."""
    given = (t.to(torch.float64) for t in (u, delta))
    weights = (t.to(torch.complex128) for t in (Lambda, P, B, C))
    wide = steps.to(torch.float64), state.to(torch.complex128)
    y, last = _Scan.apply(*given, *weights, *wide)
    return y.to(u.dtype), last.to(state.dtype)


class _Scan(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        u: Tensor,
        delta: Tensor,
        Lambda: Tensor,
        P: Tensor,
        B: Tensor,
        C: Tensor,
        steps: Tensor,
        state: Tensor,
    ) -> tuple[Tensor, Tensor]:
        batch, length, channels = u.shape
        u, delta, steps = (plain(t) for t in (u, delta, steps))
        known = torch.cat([_planes(t) for t in (Lambda, P, B, C)], 1)
        last = _planes(state.flatten(0, 1)).clone()
        wide, y = known.shape[-1], torch.empty_like(u)
        chunks = -(-length // CHUNK) if any(ctx.needs_input_grad) else 1
        kept = u.new_empty(batch * channels, chunks, 2, wide)
        # without gradients one state is kept, that before the first step
        every = CHUNK if any(ctx.needs_input_grad) else length
        version = sources(vectors)

        def task(start: int, stop: int) -> None:
            scratch = u.new_empty(2, 2, wide)
            arrays = [t.numpy() for t in (known, delta, steps, u, scratch, kept, last, y)]
            loops.forward(start, stop, version, every, *arrays)

        run_shared(task, batch * channels, u.numel() * wide)
        ctx.save_for_backward(u, delta, steps, known, kept)
        ctx.modes = Lambda.shape[1]
        # an output that is a view could not be changed in place
        return y, _complex(last.view(batch, channels, 2, wide), ctx.modes)

    @staticmethod
    @first_only("dplr_scan")
    def backward(ctx: Any, gy: Tensor, g_last: Tensor) -> tuple[Tensor, ...]:
        u, delta, steps, known, kept = saved(ctx)
        batch, _, channels = u.shape
        carry = _planes(g_last.flatten(0, 1)).clone()
        found = known.new_zeros(batch * channels, *known.shape[1:])
        to_u, to_h, gy = torch.empty_like(u), torch.empty_like(u), plain(gy)
        version = sources(vectors)

        def task(start: int, stop: int) -> None:
            scratch = u.new_empty(CHUNK + 1, 2, known.shape[-1])
            arrays = [t.numpy() for t in (known, delta, steps, u, scratch, kept, gy)]
            grads = tuple(t.numpy() for t in (carry, found, to_u, to_h))
            loops.backward(start, stop, version, CHUNK, grads, *arrays)

        run_shared(task, batch * channels, 3 * u.numel() * known.shape[-1])
        each = found.view(batch, channels, 4, 2, -1).sum(0)
        weights = [_complex(part, ctx.modes) for part in each.unbind(1)]
        to_delta = (to_h * steps[..., None]).sum((0, 1)) / 2
        to_steps = (to_h @ delta / 2).sum_to_size(steps.shape)
        state = _complex(carry, ctx.modes).view(batch, channels, -1)
        return to_u, to_delta, *weights, to_steps, state


def _planes(numbers: Tensor) -> Tensor:
    """Return `(x, n)` complex numbers as `(x, 2, n)`, n filled up with zeros to whole vectors."""
    parts = torch.view_as_real(numbers.detach().resolve_conj()).mT
    return F.pad(parts, (0, -parts.shape[-1] % _LANES)).contiguous()


def _complex(planes: Tensor, count: int) -> Tensor:
    return torch.complex(planes[..., 0, :count], planes[..., 1, :count])
