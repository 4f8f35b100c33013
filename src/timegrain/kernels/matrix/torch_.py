r"""The matrix scan by chunks: products of matrices, on any device, differentiable twice.

With `D_t` the diagonal gate, `D(t, s) = D_t ... D_{s+1}` and `u_t` what is written,

    S_t = D_t S_{t-1} + k_t u_t',
    u_t = v_t,                              or with beta, the delta rule,
    u_t = beta_t (v_t - (D_t S_{t-1})' k_t).

From the state S before a chunk, with `G = D(t, 0)` at each of its samples,

    y   = M(q, k) U + (q G) S,              M(a, b)_ts = a_t' D(t, s) b_s for s <= t,
    U   = (I + beta M(k, k) below its diagonal)^-1 beta (V - (k G) S),
    S'  = D(end, 0) S + sum_s D(end, s) k_s u_s'.

`M` is made by halves: of a block of two, the later half meets the earlier one through the state
between them, `(a_t D(t, middle)) . (D(middle, s) b_s)`, and each half is such a block itself. So
every exponent is a sum of log gates, never a difference of two sums: where those are not positive
nothing overflows, nothing cancels, and a gate of 0 (`-inf`) forgets exactly.
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import pad

from timegrain.kernels.matrix.update import per_head

Levels = list[tuple[Tensor, Tensor]]
"""From a block's start to each sample, and from each to the block's end; for widths 1, 2, 4, .."""


def matrix_scan_torch(
    q: Float[Tensor, "b l g i"],
    k: Float[Tensor, "b l g i"],
    v: Float[Tensor, "b l h j"],
    log_gate: Float[Tensor, "b l h"] | Float[Tensor, "b l h i"] | None,
    beta: Float[Tensor, "b l h"] | None,
    state: Float[Tensor, "b h i j"],
    chunk: int,
) -> tuple[Float[Tensor, "b l h j"], Float[Tensor, "b h i j"]]:
    """Return y and the last state; `chunk`, a power of 2, is halved while half holds them all."""
    length, heads = v.shape[1], v.shape[2]
    while chunk // 2 >= length:
        chunk //= 2
    q, k = (per_head(t, heads, axis=2) for t in (q, k))
    q, k, v = (_chunks(t, chunk) for t in (q, k, v))
    levels = None
    if log_gate is not None:
        gate = log_gate if log_gate.ndim == 4 else log_gate.unsqueeze(-1)
        levels = _levels(_chunks(gate, chunk))
    from_start = q if levels is None else q * levels[-1][0].exp()
    to_end = k if levels is None else k * levels[-1][1].exp()
    total = None if levels is None else levels[-1][0][..., -1, :, None].exp()
    within = _scores(q, k, levels)
    if beta is None:
        before, state = _carry(to_end.mT @ v, total, state)
        written = v
    else:
        strength = _chunks(beta.unsqueeze(-1), chunk)
        erased = k if levels is None else k * levels[-1][0].exp()
        own, per_state = _solved(strength, _scores(k, k, levels), v, erased)
        before, written, state = _corrected(own, per_state, to_end, total, state)
    y = within @ written + from_start @ before
    return y.movedim(1, 3).flatten(1, 2)[:, :length], state


def _chunks(tensor: Tensor, chunk: int) -> Tensor:
    """Return `(b, h, chunks, chunk, x)` of `(b, l, h, x)`; zeros that fill up change no state."""
    filled = pad(tensor, (0, 0, 0, 0, 0, -tensor.shape[1] % chunk))
    return filled.unflatten(1, (-1, chunk)).movedim(3, 1)


def _levels(gate: Tensor) -> Levels:
    """Return sums of log gates in blocks of 1, 2, 4, .. samples, up to the chunk."""
    start, end = gate, torch.zeros_like(gate)
    levels = [(start, end)]
    width = 1
    while width < gate.shape[-2]:
        earlier, later = _halves(start, width)
        before, after = _halves(end, width)
        start = torch.cat([earlier, later + earlier[..., -1:, :]], -2).flatten(-3, -2)
        end = torch.cat([before + later[..., -1:, :], after], -2).flatten(-3, -2)
        levels.append((start, end))
        width *= 2
    return levels


def _halves(tensor: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Return the earlier and the later half of every block of two `width`."""
    pairs = tensor.unflatten(-2, (-1, 2, width))
    return pairs[..., 0, :, :], pairs[..., 1, :, :]


def _scores(a: Tensor, b: Tensor, levels: Levels | None) -> Tensor:
    """Return `a_t' D(t, s) b_s`, and 0 above the diagonal."""
    if levels is None:
        return (a @ b.mT).tril()
    scores = (a * b).sum(-1)[..., None, None]  # blocks of one sample
    for start, end in levels[:-1]:
        width = scores.shape[-1]
        below = _halves(a * start.exp(), width)[1] @ _halves(b * end.exp(), width)[0].mT
        earlier, later = scores[..., ::2, :, :], scores[..., 1::2, :, :]
        upper = torch.cat([earlier, torch.zeros_like(below)], -1)
        scores = torch.cat([upper, torch.cat([below, later], -1)], -2)
    return scores.squeeze(-3)


def _solved(strength: Tensor, scores: Tensor, v: Tensor, erased: Tensor) -> tuple[Tensor, Tensor]:
    """Return what a chunk writes from a state of 0, and the matrix by which a state lessens it."""
    both = torch.linalg.solve_triangular(
        strength * scores.tril(-1),
        strength * torch.cat([v, erased], -1),
        upper=False,
        unitriangular=True,
    )
    return both[..., : v.shape[-1]], both[..., v.shape[-1] :]


def _carry(pushes: Tensor, total: Tensor | None, state: Tensor) -> tuple[Tensor, Tensor]:
    """Return the state before each chunk, and the last."""
    before = []
    for c, push in enumerate(pushes.unbind(2)):
        before.append(state)
        state = push + (state if total is None else total[:, :, c] * state)
    return torch.stack(before, 2), state


def _corrected(
    own: Tensor, per_state: Tensor, to_end: Tensor, total: Tensor | None, state: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the state before each chunk, what each sample writes, and the last state."""
    before, written = [], []
    pieces = zip(own.unbind(2), per_state.unbind(2), to_end.mT.unbind(2), strict=True)
    for c, (target, matrix, key) in enumerate(pieces):
        before.append(state)
        written.append(target - matrix @ state)
        state = key @ written[-1] + (state if total is None else total[:, :, c] * state)
    return torch.stack(before, 2), torch.stack(written, 2), state
