r"""The scan of diagonal plus low rank systems by blocks side by side, in torch operations.

A step is diagonal plus rank one: `x_k = a_k x_{k-1} + f_k - c_k s_k` with the real number
`s_k = 2 Re(w_k . x_{k-1})`. What t steps make of a state x is then diagonal plus rank t,

    D_t x - sum_{j<t} F_tj 2 Re(S_j . x),    F_tj = a_{t-1} .. a_{j+1} c_j,
    S_t = w_t D_t - sum_{j<t} 2 Re(w_t . F_tj) S_j,

which takes `2 BLOCK` products a step where a dense matrix would take `4 n`, and divides by nothing.
With it the states before all blocks follow from each other, and blocks run side by side.
"""

from typing import NamedTuple

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.blocked import split

BLOCK = 8
"""Steps in a block. Work and memory grow with it, the sequential steps as `2 BLOCK + l/BLOCK`."""


class Steps(NamedTuple):
    """What a step does, one entry for each step in a block.

    `f` is `(b, blocks, d, n)`, the others broadcast to it.
    """

    a: tuple[Tensor, ...]
    c: tuple[Tensor, ...]
    w: tuple[Tensor, ...]
    f: tuple[Tensor, ...]


def dplr_scan_torch(
    u: Float[Tensor, "b l d"],
    delta: Float[Tensor, " d"],
    Lambda: Complex[Tensor, "d n"],
    P: Complex[Tensor, "d n"],
    B: Complex[Tensor, "d n"],
    C: Complex[Tensor, "d n"],
    steps: Float[Tensor, "#b l"],
    state: Complex[Tensor, "b d n"],
) -> tuple[Float[Tensor, "b l d"], Complex[Tensor, "b d n"]]:
    """Return y and the last state; a gradient keeps some twenty complex tensors `(b, l, d, n)`."""
    length = u.shape[1]
    size = min(BLOCK, length)
    half = (split(steps, 1, size).unsqueeze(-1) * delta / 2).unsqueeze(-1)
    each = _discretised(split(u, 1, size).unsqueeze(-1), half, Lambda, P, B)
    x = state.unsqueeze(1)
    if half.shape[1] > 1:
        x = _before(each, state)
    y = []
    for step in zip(*each, strict=True):
        x = _moved(x, *step)
        y.append(2 * (C * x).sum(-1).real)
    return torch.stack(y, 2).flatten(1, 2)[:, :length], x[:, -1]


def _discretised(u: Tensor, half: Tensor, Lambda: Tensor, P: Tensor, B: Tensor) -> Steps:
    """Return the steps; u is `(b, blocks, step, d, 1)`, half a step `(#b, blocks, step, d, 1)`."""
    resolvent = 1 / (1 - half * Lambda)
    own = 2 * (P.abs().square() * resolvent.real).sum(-1, keepdim=True)
    w = P.conj() * resolvent
    c = 2 * half / (1 + half * own) * (resolvent * P)
    f = 2 * half * u * (resolvent * B) - c * (2 * half * u * (w * B).sum(-1, keepdim=True).real)
    return Steps(*(t.unbind(2) for t in ((1 + half * Lambda) * resolvent, c, w, f)))


def _moved(x: Tensor, a: Tensor, c: Tensor, w: Tensor, f: Tensor) -> Tensor:
    return a * x + f - c * (2 * (w * x).sum(-1, keepdim=True).real)


def _before(each: Steps, state: Complex[Tensor, "b d n"]) -> Complex[Tensor, "b blocks d n"]:
    """Return the states before all blocks."""
    local = torch.zeros_like(each.f[0])
    left = torch.ones_like(each.a[0])
    pushed, seen = left.unsqueeze(-2)[..., :0, :], left.unsqueeze(-2)[..., :0, :]
    for a, c, w, f in zip(*each, strict=True):
        local = _moved(local, a, c, w, f)
        back = 2 * (w.unsqueeze(-2) * pushed).sum(-1, keepdim=True).real
        new = w * left - (back * seen).sum(-2)
        seen = torch.cat([seen, new.unsqueeze(-2)], -2)
        pushed = torch.cat([a.unsqueeze(-2) * pushed, c.unsqueeze(-2)], -2)
        left = a * left
    found = []
    rows = (t.expand(t.shape[0], local.shape[1], *t.shape[2:]) for t in (left, pushed, seen))
    for end, a, c, w in zip(local.unbind(1), *(t.unbind(1) for t in rows), strict=True):
        found.append(state)
        known = 2 * (w * state.unsqueeze(-2)).sum(-1, keepdim=True).real
        state = a * state + end - (c * known).sum(-2)
    return torch.stack(found, 1)
