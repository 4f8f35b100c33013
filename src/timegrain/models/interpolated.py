"""Short convolutions that span the same time at any step: `Interpolated`."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from timegrain.core.errors import GridError
from timegrain.models.dilated import WHOLE, Dilated
from timegrain.models.layers.short_convolution import ShortConvolution

_EXACT = 1e-9  # taps that are off a sample by so little of a step are on it


class Interpolated(Dilated):
    r"""A model whose convolutions over time span the same time at every step, slower ones too.

    As `Dilated`, which needs `1 / tau` to be a whole number. Elsewhere a tap falls between two
    samples, and reads the straight line from one to the next: its weight is shared by the two.

    Args:
        model: As for `Dilated`.
        names: As for `Dilated`.

    Raises:
        ModelError: If there is no such convolution, or a name is of none.

    Math:
        `y(t) = b + sum_j w_j u_lin(t - (k-1-j) dt_trained)`, `u_lin` linear between the samples:
        off by at most `(tau dt_trained)^2 / 8 sum_j |w_j| max |u''|`.

    Example:
        >>> from timegrain.models import build_layer
        >>> model = Interpolated(build_layer("mamba", d_model=4, seed=0))
        >>> model(torch.randn(1, 31, 4), 1.5).shape
        torch.Size([1, 31, 4])
    """

    def forward(self, x: Tensor, tau: float = 1.0) -> Any:
        """Return what the model does, the taps of its convolutions `1 / tau` samples apart.

        Args:
            x: Input, `(batch, time, channel)`.
            tau: `dt / dt_trained`, any positive number; the model is told it if it can be.

        Raises:
            GridError: If tau is no such number.
        """
        if not (isinstance(tau, int | float) and math.isfinite(tau) and tau > 0):
            raise GridError("taps are set apart by one step ratio", got=f"tau={tau!r}")
        if abs(1 / tau - round(1 / tau)) <= WHOLE / tau and tau <= 1:
            return super().forward(x, tau)
        told = {"tau": tau} if self._tells else {}
        with _respaced([self.model.get_submodule(n) for n in self.names], 1 / tau) as weights:
            named = {f"{n}.weight": w for n, w in zip(self.names, weights, strict=True)}
            return torch.func.functional_call(self.model, named, (x,), told)


@contextmanager
def _respaced(convolutions: Sequence[Any], apart: float) -> Iterator[list[Tensor]]:
    before = [(conv, conv.dilation, getattr(conv, "padding", None)) for conv in convolutions]
    try:
        yield [_shared_out(conv, apart) for conv in convolutions]
    finally:
        for conv, dilation, padding in before:
            conv.dilation = dilation
            if padding is not None:
                conv.padding = padding


def _shared_out(conv: Any, apart: float) -> Tensor:
    """Return the weights of the samples that taps fall between, and set the padding to them."""
    taps = conv.weight.shape[-1]
    if isinstance(conv, ShortConvolution):
        spread = _ahead(taps, apart * conv.dilation)
        conv.dilation = 1
    else:
        step = apart * conv.dilation[0]
        ahead = conv.padding == (conv.dilation[0] * (taps - 1),)
        spread = _ahead(taps, step) if ahead else _centred(taps, step)
        conv.dilation = (1,)
        reach = spread.shape[1] - 1
        conv.padding = (reach if ahead else reach // 2,)
    shared: Tensor = conv.weight @ spread.to(conv.weight)
    return shared


def _ahead(taps: int, apart: float) -> Tensor:
    """Return the shares of taps so far apart, `(tap, sample)`; the last of both is the newest."""
    return _shares([apart * (taps - 1 - j) for j in range(taps)]).flip(1)


def _centred(taps: int, apart: float) -> Tensor:
    half = _shares([apart * abs(j - (taps - 1) / 2) for j in range(taps)])
    early = [j < (taps - 1) / 2 for j in range(taps)]
    out = half.new_zeros(taps, 2 * half.shape[1] - 1)
    for j, row in enumerate(half):
        side = out[j, : half.shape[1]] if early[j] else out[j, half.shape[1] - 1 :]
        side += row.flip(0) if early[j] else row
    return out


def _shares(lags: Sequence[float]) -> Tensor:
    """Return how the two samples beside each lag share its weight, `(tap, lag in samples)`."""
    lags = [round(lag) if abs(lag - round(lag)) < _EXACT else lag for lag in lags]
    out = torch.zeros(len(lags), math.ceil(max(lags)) + 1, dtype=torch.float64)
    for j, lag in enumerate(lags):
        low = math.floor(lag)
        out[j, low] += 1 - (lag - low)
        if lag > low:
            out[j, low + 1] += lag - low
    return out
