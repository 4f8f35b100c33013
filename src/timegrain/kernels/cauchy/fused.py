"""The compiled loops as a function that autograd knows."""

from typing import Any

import torch
from jaxtyping import Complex
from torch import Tensor
from torch.nn import functional as F

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.cauchy import numba_ as loops
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.threads import run_shared

_LANES = 8


def cauchy_pairs_numba(
    weights: Complex[Tensor, "d r n"], poles: Complex[Tensor, "d n"], nodes: Complex[Tensor, " m"]
) -> Complex[Tensor, "d r m"]:
    """Return the sums, computed in double precision whatever the dtype."""
    sums: Tensor = _Sums.apply(weights, poles, nodes)
    return sums


class _Sums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weights: Tensor, poles: Tensor, nodes: Tensor) -> Tensor:
        ctx.save_for_backward(weights, poles, nodes)
        out = sums_of(weights, poles, nodes)
        sums = torch.complex(*out[:, : weights.shape[1], :, : len(nodes)].unbind(2))
        return sums.to(weights.dtype)

    @staticmethod
    @first_only("cauchy_pairs")
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        weights, poles, nodes = ctx.saved_tensors
        channels, wanted, _ = weights.shape
        planes = wanted + -wanted % loops.SUMS, 2, len(nodes) + -len(nodes) % _LANES
        given = grad.new_zeros(channels, *planes, dtype=torch.float64)
        given[:, :wanted, 0, : len(nodes)] = grad.real
        given[:, :wanted, 1, : len(nodes)] = grad.imag
        return *gradients_of(weights, poles, nodes, given), None


def sums_of(weights: Tensor, poles: Tensor, nodes: Tensor) -> Tensor:
    """Return the sums as planes `(d, r, 2, m)`, r and m filled up to whole vectors."""
    z, g = _parts(poles), node_planes(nodes)
    factors = 2 * _parts(_filled(weights))
    factors[..., 1] *= -z[..., None, 1]
    out = g.new_empty(len(poles), factors.shape[2], 2, g.shape[1])
    version, arrays = sources(vectors), [t.numpy() for t in (factors, z, g, out)]

    def task(start: int, stop: int) -> None:
        loops.sums(start, stop, version, *arrays)

    run_shared(task, len(poles), poles.numel() * len(nodes))
    return out


def gradients_of(
    weights: Tensor, poles: Tensor, nodes: Tensor, given: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the gradients of weights and poles from that of the sums, in planes as `sums_of`.

    Where there is no node, it is zero.
    """
    channels, wanted, modes = weights.shape
    z, g, w = _parts(poles), node_planes(nodes), _parts(_filled(weights))
    to_weights = torch.zeros_like(w)
    to_poles = w.new_zeros(channels, modes, 1, 2)
    version = sources(vectors)
    arrays = [t.numpy() for t in (w, z, g, given, to_weights, to_poles)]

    def task(start: int, stop: int) -> None:
        loops.gradients(start, stop, version, *arrays)

    run_shared(task, channels, 2 * poles.numel() * len(nodes))
    found = torch.view_as_complex(to_weights)[:, :, :wanted].mT
    own = torch.view_as_complex(to_poles)[:, :, 0]
    return found.to(weights.dtype), own.to(poles.dtype)


def _filled(weights: Tensor) -> Tensor:
    """Return the weights as `(d, n, r)`, r filled up with zeros to a multiple of `SUMS`."""
    return F.pad(weights.detach().mT, (0, -weights.shape[1] % loops.SUMS))


def _parts(numbers: Tensor) -> Tensor:
    """Return the real and imaginary parts along a last axis, contiguous, in double precision."""
    wide = numbers.detach().resolve_conj().to(torch.complex128).contiguous()
    return torch.view_as_real(wide)


def node_planes(nodes: Tensor) -> Tensor:
    """Return the nodes as `(2, m)`, the last one repeated to fill vectors."""
    parts = _parts(nodes).T
    return F.pad(parts[None], (0, -len(nodes) % _LANES), mode="replicate")[0].contiguous()
