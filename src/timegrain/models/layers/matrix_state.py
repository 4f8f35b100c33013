"""The base of layers whose state is a matrix per head, written with keys and read with queries."""

from abc import abstractmethod
from functools import cached_property
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from timegrain.kernels.matrix.scan import matrix_scan
from timegrain.kernels.matrix.step import matrix_step
from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.layers.short_convolution import ShortConvolution
from timegrain.models.options import whole
from timegrain.models.state import State
from timegrain.models.state_form import Form, Part
from timegrain.models.steps import Steps

Ratio = float | Float[Tensor, "batch time 1"]


class Selected(NamedTuple):
    """What `matrix_scan` takes for each sample, the step already in it."""

    q: Float[Tensor, "batch time group key"]
    k: Float[Tensor, "batch time group key"]
    v: Float[Tensor, "batch time head value"]
    log_gate: Tensor | None = None
    beta: Float[Tensor, "batch time head"] | None = None
    passed: Float[Tensor, "batch time head value"] | None = None
    """What a skip term adds, which is not scanned."""


class MatrixState(SequenceLayer):
    """Projections, perhaps a short convolution, a matrix scan, and what reads it.

    A subclass sets `state_shape` and `conv`, and writes the three methods below. The state is the
    matrix of each head, `(head, key, value)`, behind the last samples of the convolution if there
    is one.

    Args:
        d_model: Channels in and out.
    """

    state_shape: tuple[int, int, int]
    conv: ShortConvolution | None

    @abstractmethod
    def _project(self, x: Sequences) -> Sequences:
        """Return what the short convolution filters: the projections behind q, k and v."""

    @abstractmethod
    def _select(self, x: Sequences, u: Sequences, ratio: Ratio) -> Selected:
        """Return what is scanned; `u` is the filtered projection, `ratio` is `s_k`."""

    @abstractmethod
    def _read(
        self, y: Float[Tensor, "batch time head value"], x: Sequences, chosen: Selected
    ) -> Sequences:
        """Return the outputs from what the queries read."""

    @property
    def order(self) -> int:
        """1: what a sample writes is held over its step."""
        return 1

    @cached_property
    def _form(self) -> Form:
        state = Part(self.state_shape)
        return state if self.conv is None else (Part((self.conv.past, self._width)), state)

    @property
    def _width(self) -> int:
        return 0 if self.conv is None else len(self.conv.weight)

    @property
    def _precision(self) -> torch.dtype:
        return next(self.parameters()).dtype

    def _mix(
        self, x: Sequences, state: Any, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, State | None]:
        before, matrices = self._parts(state)
        raw = self._project(x)
        u = raw if self.conv is None else self.conv(raw, before)
        chosen = self._select(x, u, _ratio(x, steps))
        y, after = matrix_scan(
            chosen.q,
            chosen.k,
            chosen.v,
            log_gate=chosen.log_gate,
            beta=chosen.beta,
            initial_state=matrices,
            return_state=True,
        )
        out = self._read(y, x, chosen)
        if self.conv is None or not return_state:
            return out, after
        return out, (self.conv.last(raw, before, steps.valid), after)

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: Any, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], State]:
        before, matrices = self._parts(state)
        x = x_t[:, None]
        u = self._project(x)
        inputs = None
        if self.conv is not None:
            filtered, inputs = self.conv.step(u[:, 0], before)
            u = filtered[:, None]
        chosen = self._select(x, u, ratio.reshape(-1, 1, 1))
        v, gate, beta = chosen.v[:, 0], chosen.log_gate, chosen.beta
        if matrices is None:
            wide = torch.promote_types(v.dtype, torch.float32)
            matrices = v.new_zeros((len(v), *self.state_shape), dtype=wide)
        y, after = matrix_step(
            chosen.q[:, 0],
            chosen.k[:, 0],
            v,
            matrices,
            log_gate=None if gate is None else gate[:, 0],
            beta=None if beta is None else beta[:, 0],
        )
        out = self._read(y[:, None], x, chosen)[:, 0]
        return out, after if inputs is None else (inputs, after)

    def _parts(self, state: Any) -> tuple[Tensor | None, Tensor | None]:
        """Return the samples of the convolution and the matrices, None at rest."""
        if state is None or self.conv is None:
            return None, state
        before, matrices = state
        return before, matrices


def short_filter(width: int, d_conv: object) -> ShortConvolution | None:
    """Return a short convolution of `d_conv` samples without bias, None for 0.

    Raises:
        ConfigError: If `d_conv` is not a whole number, 0 or more.
    """
    reach = whole("d_conv", d_conv, least=0)
    return ShortConvolution(width, reach, bias=False) if reach else None


def _ratio(x: Sequences, steps: Steps) -> Ratio:
    if isinstance(steps.ratio, float) and steps.valid is None:
        return steps.ratio
    return steps.weights(x)[..., None]
