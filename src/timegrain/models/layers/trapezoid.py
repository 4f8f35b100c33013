"""The exponential-trapezoidal update of a matrix state, as one scan or one step."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from timegrain.kernels.matrix.scan import matrix_scan


class Drive(NamedTuple):
    """What the input selects for each sample; the step is in all but q, k and v."""

    q: Float[Tensor, "batch time rank head key"]
    k: Float[Tensor, "batch time rank head key"]
    v: Float[Tensor, "batch time rank head value"]
    turn: Float[Tensor, "batch time head angle"]
    """By which pairs of q and k turn in this step, in radians."""
    log_decay: Float[Tensor, "batch time head"]
    now: Float[Tensor, "batch time head"]
    """Weight of this sample."""
    late: Float[Tensor, "batch time head"]
    """Weight of the sample before, which then decays over this step."""


class Carried(NamedTuple):
    """A state: the matrices, how far pairs have turned, and the last sample, still owed its share.

    Angles are float64 in every precision, from 0 to 2 pi.
    """

    matrices: Float[Tensor, "batch head key value"]
    angles: Float[Tensor, "batch head angle"]
    key: Float[Tensor, "batch rank head key"]
    value: Float[Tensor, "batch rank head value"]


def scanned(
    drive: Drive, state: Carried, counts: Int[Tensor, " batch"] | None
) -> tuple[Float[Tensor, "batch time rank head value"], Carried]:
    r"""Return what is read at each sample, and the state after the last one that exists.

    Args:
        drive: Of each sample; weights and turns are 0 and nothing decays where none exists.
        state: Before the first.
        counts: Samples that exist, `(batch,)`; None for all.

    Math:
        :math:`h_t = \alpha_t (h_{t-1} + \beta_t k_{t-1} v_{t-1}') + \gamma_t k_t v_t'`. What is
        left of the past, :math:`p_t = h_t - \gamma_t k_t v_t'`, is one scan of the samples before,
        :math:`p_t = \alpha_t (p_{t-1} + (\gamma_{t-1} + \beta_t) k_{t-1} v_{t-1}')`, in which no
        output depends on a later sample, not even in its rounding.
    """
    angles = state.angles[:, None] + drive.turn.double().cumsum(1)
    q, k = (turned(part, angles) for part in (drive.q, drive.k))
    v = drive.v.expand(*k.shape[:-1], -1)
    value = state.value[:, None].expand_as(v[:, :1])
    early, owed = (
        torch.cat([first, rest[:, :-1]], 1) for first, rest in ((state.key[:, None], k), (value, v))
    )
    weight = drive.log_decay.exp() * (drive.late + F.pad(drive.now[:, :-1], (0, 0, 1, 0)))
    past, matrices = _ranked(
        q, early, owed * weight[:, :, None, :, None], drive.log_decay, state.matrices
    )
    new = v * drive.now[:, :, None, :, None]
    own = torch.einsum("blrhi,blshi->blrsh", q, k)
    y = past + torch.einsum("blrsh,blshj->blrhj", own, new)
    matrices = matrices + torch.einsum("brhi,brhj->bhij", k[:, -1], new[:, -1])
    at = None if counts is None else (counts - 1).clamp(min=0)
    key, value = _last(k, state.key, counts, at), _last(v, state.value, counts, at)
    return y, Carried(matrices, angles[:, -1] % (2 * torch.pi), key, value)


def stepped(
    drive: Drive, state: Carried
) -> tuple[Float[Tensor, "batch 1 rank head value"], Carried]:
    """Return the same of one sample, as the update is written down."""
    angles = state.angles + drive.turn[:, 0].double()
    q, k = (turned(part, angles[:, None])[:, 0] for part in (drive.q, drive.k))
    v, late, now = drive.v[:, 0], drive.late[:, 0], drive.now[:, 0]
    before, new = (
        torch.einsum("brhi,brhj->bhij", *pair) for pair in ((state.key, state.value), (k, v))
    )
    kept = drive.log_decay[:, 0].exp()[..., None, None] * (
        state.matrices + late[..., None, None] * before
    )
    matrices = kept + now[..., None, None] * new
    y = torch.einsum("brhi,bhij->brhj", q, matrices)
    return y[:, None], Carried(matrices, angles % (2 * torch.pi), k, v)


def turned(
    x: Float[Tensor, "batch time rank head key"], angles: Float[Tensor, "batch time head angle"]
) -> Float[Tensor, "batch time rank head key"]:
    """Return x with its first pairs of numbers turned.

    Example:
        >>> quarter = torch.full((1, 1, 1, 1), torch.pi / 2)
        >>> turned(torch.tensor([1.0, 0.0, 5.0]).view(1, 1, 1, 1, 3), quarter).round().flatten()
        tensor([-0., 1., 5.])
    """
    cos, sin = (part.to(x.dtype)[:, :, None] for part in (angles.cos(), angles.sin()))
    width = 2 * angles.shape[-1]
    a, b = x[..., :width].unflatten(-1, (-1, 2)).unbind(-1)
    pairs = torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
    return torch.cat([pairs, x[..., width:].expand(*pairs.shape[:-1], -1)], -1)


def _ranked(
    q: Tensor, k: Tensor, v: Tensor, log_decay: Tensor, start: Tensor
) -> tuple[Tensor, Tensor]:
    """Scan samples that write and read several times, one after the other in one scan.

    All ranks write, then all read: `2 rank - 1` samples in the place of one, the first of which
    decays.
    """
    rank, time = k.shape[2], k.shape[1]
    if rank == 1:
        y, last = matrix_scan(
            q[:, :, 0], k[:, :, 0], v[:, :, 0],
            log_gate=log_decay, initial_state=start, return_state=True,
        )  # fmt: skip
        return y[:, :, None], last
    more = rank - 1
    k, v = (F.pad(part, (0, 0, 0, 0, 0, more)).flatten(1, 2) for part in (k, v))
    q = F.pad(q, (0, 0, 0, 0, more, 0)).flatten(1, 2)
    gate = F.pad(log_decay[:, :, None], (0, 0, 0, 2 * more)).flatten(1, 2)
    y, last = matrix_scan(q, k, v, log_gate=gate, initial_state=start, return_state=True)
    return y.unflatten(1, (time, 2 * rank - 1))[:, :, more:], last


def _last(
    values: Float[Tensor, "batch time *rest"],
    before: Float[Tensor, "batch *rest"],
    counts: Tensor | None,
    at: Tensor | None,
) -> Float[Tensor, "batch *rest"]:
    """Return the last value that exists, what was there before if there is none."""
    if counts is None or at is None:
        return values[:, -1].clone()
    found = values[torch.arange(len(values), device=values.device), at]
    return torch.where((counts > 0).view(-1, *[1] * (found.ndim - 1)), found, before)
