"""S6 with both ends of a step in its input: of order 2 in place of 1."""

from typing import Any

import torch
from torch import Tensor

from timegrain.core.errors import ModelError
from timegrain.kernels.selective.scan import selective_scan
from timegrain.models.layer import Sequences
from timegrain.models.layers.s6 import S6
from timegrain.models.steps import Steps


class TrapezoidalS6(S6):
    r"""S6 whose input is the mean of both ends of each step, and whose decay takes both `Delta`.

    Its weights, and the equation that it discretises, are those of S6; `of` makes one of a layer.

    Math:
        `h_k = a_k h_{k-1} + s_k (a_k g_{k-1} + g_k) / 2`, `g_k = Delta_k B_k u_k`,
        `a_k = exp(s_k (Delta_{k-1} + Delta_k) / 2 A)`, `h_0 = 0`: the first sample opens the first
        step. With `w_k = h_k + s_{k+1} g_k / 2` that is a scan as S6's own,
        `w_k = a_k w_{k-1} + (s_k + s_{k+1}) g_k / 2`, from `w_0 = s_1 g_0 / 2`.

    Note:
        Whole sequences only: a state would have to carry `g_{k-1}`.

    Source:
        The trapezoidal rule on `(exp(-integral) h)' = exp(-integral) g`, of order 2; the recurrence
        in `w` is this package's.

    Example:
        >>> layer = TrapezoidalS6.of(S6(4))
        >>> layer.order, layer(torch.randn(2, 30, 4), 0.5).shape
        (2, torch.Size([2, 30, 4]))
    """

    steps = False

    @classmethod
    def of(cls, layer: S6) -> "TrapezoidalS6":
        """Turn an S6 into this in place, with all that was set on it.

        Args:
            layer: The layer.
        """
        layer.__class__ = cls
        return layer  # type: ignore[return-value]  # it is one now

    @property
    def order(self) -> int:
        """2: both ends of a step have a part."""
        return 2

    def _mix(
        self, x: Sequences, state: Any, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, Tensor | None]:
        if state is not None or return_state:
            raise ModelError("TrapezoidalS6 keeps no state", hint="forward() instead")
        delta, B, C = self.select(x)
        own = steps.weights(x).to(delta)[..., None]  # s_k, zero on padding
        then = torch.cat([own[:, 1:], torch.zeros_like(own[:, :1])], 1)  # s_{k+1}
        exponent = own * (delta + torch.cat([delta[:, :1], delta[:, :-1]], 1)) / 2
        # h_0 = 0: the first sample opens a step, and ends none
        ends = torch.cat([torch.zeros_like(own[:, :1]), own[:, 1:]], 1)
        drive = (ends + then) / 2 * delta
        share = torch.where(exponent > 0, drive / torch.where(exponent > 0, exponent, 1.0), 0.0)
        w = selective_scan((x * share).to(x.dtype), exponent, self.A, B, C)
        y = w - x * then * delta * (B * C).sum(-1, keepdim=True) / 2
        return (y if self.D is None else y + self.D * x).to(x.dtype), None
