"""The base of every layer that maps sequences to sequences in time."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from timegrain.core.errors import LayoutError, ModelError
from timegrain.models.options import positive_int
from timegrain.models.state import State, state_tensors
from timegrain.models.state_form import Form, fits, written
from timegrain.models.steps import Steps, Tau, read_step, read_steps

Sequences = Float[Tensor, "batch time channel"]
DOUBLE = (torch.float64, torch.complex128)


class SequenceLayer(nn.Module, ABC):
    """A causal map from `(batch, time, channel)` to the same shape that carries a state.

    The update that brings in sample k uses `s_k = (t_k - t_{k-1}) / dt_trained`, and `s_0 = tau`.
    A subclass writes `_mix` and `_advance`, and chooses the form of its state; this base reads and
    checks every argument.

    Args:
        d_model: Channels in and out.

    Attributes:
        takes_tau: False for a layer that cannot be told its step; it accepts any tau and
            computes as if tau were 1.
        steps: False for a layer that needs the whole sequence and has no `step`. An option of a
            layer may decide over either, so that they are read from the layer, not its class.

    Raises:
        ConfigError: If `d_model` is not a positive whole number.
    """

    takes_tau: bool = True
    steps: bool = True

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = positive_int("d_model", d_model)

    @property
    @abstractmethod
    def order(self) -> int:
        """Declared order of convergence of its outputs as `tau -> 0` on smooth inputs."""

    @property
    def _form(self) -> Form | None:
        """The form of its states; None where it is not known."""
        return None

    @property
    def _precision(self) -> torch.dtype | None:
        """The only precision of inputs outside autocast; None where it takes any."""
        return None

    @property
    def _weights(self) -> torch.dtype | None:
        """The precision of the weights, where it decides over that of states."""
        return self._precision

    @abstractmethod
    def _mix(
        self, x: Sequences, state: Any, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, State | None]:
        """Compute outputs, and the state after the last valid sample if `return_state`."""

    @abstractmethod
    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: Any, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], State]:
        """Compute one step; `ratio` has shape `()` or `(batch, 1)`."""

    def scan(
        self,
        x: Sequences,
        state: State | None = None,
        *,
        tau: Tau = 1.0,
        lengths: Int[Tensor, " batch"] | None = None,
    ) -> tuple[Sequences, State]:
        """Map whole sequences and return the state that `scan` or `step` can go on from.

        Args:
            x: Input, `(batch, time, channel)`.
            state: State before the first sample, as returned by an earlier call: a tensor or
                tuples of them, the batch first; None is rest.
            tau: `dt / dt_trained`; a float, `(batch,)` or `(batch, time)`.
            lengths: Valid samples of each sequence, `(batch,)`; what lies beyond never changes
                valid outputs or the state, and outputs there mean nothing.

        Raises:
            GridError: If `tau` is not positive and finite or does not fit.
            LayoutError: If `x` or `lengths` does not fit, or the state is of another batch or form;
                two layers of one kind and size are not told apart by their states.
            ModelError: If `x` has another precision than weights that ask for theirs, or the state
                is of double precision and the layer is not, or the other way round.
        """
        y, after = self._call(x, state, tau, lengths, return_state=True)
        if after is None:
            raise ModelError(f"{type(self).__name__} keeps no state", hint="forward() instead")
        return y, after

    def forward(
        self, x: Sequences, tau: Tau = 1.0, *, lengths: Int[Tensor, " batch"] | None = None
    ) -> Sequences:
        """Return `scan(x, tau=tau, lengths=lengths)[0]` without computing the state."""
        return self._call(x, None, tau, lengths, return_state=False)[0]

    def step(
        self, x_t: Float[Tensor, "batch channel"], state: State | None = None, *, tau: Tau = 1.0
    ) -> tuple[Float[Tensor, "batch channel"], State]:
        """Bring in one sample and return its output and the new state.

        Args:
            x_t: One sample of each sequence, `(batch, channel)`.
            state: As in `scan`.
            tau: Ratio of the step that ends at this sample; a float or `(batch,)`.

        Raises:
            ModelError: If the layer needs the whole sequence, or as in `scan`.
            GridError: If `tau` is not positive and finite or does not fit.
            LayoutError: If `x_t` does not fit, or the state is of another batch or form.
        """
        if not self.steps:
            raise ModelError(f"{type(self).__name__} cannot step", hint="forward() instead")
        self._check(x_t, ("batch", "channel"))
        self._check_state(state, x_t)
        return self._advance(x_t, state, read_step(x_t, tau if self.takes_tau else 1.0))

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate the parameters that set time scales: own learning rate, no weight decay."""
        yield from ()

    def _call(
        self,
        x: Sequences,
        state: State | None,
        tau: Tau,
        lengths: Tensor | None,
        *,
        return_state: bool,
    ) -> tuple[Sequences, State | None]:
        self._check(x, ("batch", "time", "channel"))
        self._check_state(state, x)
        steps = read_steps(x, tau if self.takes_tau else 1.0, lengths)
        return self._mix(steps.clear(x), state, steps, return_state=return_state)

    def _check_state(self, state: State | None, x: Tensor) -> None:
        if state is None:
            return
        form, batch = self._form, x.shape[0]
        if form is not None and fits(state, form, batch):
            self._check_state_precision(state, x)
            return
        for part in state_tensors(state):
            if part.ndim and len(part) != batch:
                raise LayoutError(
                    f"{type(self).__name__} cannot go on from this state",
                    got=f"a state of {len(part)} sequences and an input of {batch}",
                    expected="what scan() or step() returned for these sequences",
                    hint="map_state(lambda part: part[rows], state) of timegrain.models.state for "
                    "some of them, state=None to begin",
                )
        if form is not None:
            raise LayoutError(
                f"{type(self).__name__} cannot go on from this state",
                got=written(state),
                expected=f"{written(form)}, as scan() and step() return it",
                hint="state=None to begin",
            )

    def _check_state_precision(self, state: State, x: Tensor) -> None:
        first = state if isinstance(state, Tensor) else next(state_tensors(state), x)
        double = x.dtype in DOUBLE
        if (first.dtype in DOUBLE) == double:
            return
        weights = self._weights
        # Where input and weights differ, a layer that takes any input decides over its state.
        if weights is not None and (weights in DOUBLE) == double:
            raise ModelError(
                "the state and the weights differ in precision",
                got=f"{first.dtype} for a {weights} {type(self).__name__}",
                hint="scanning what came before by the layer in this precision",
            )

    def _check(self, x: Tensor, axes: tuple[str, ...]) -> None:
        if not (isinstance(x, Tensor) and x.is_floating_point()):
            raise LayoutError(
                f"{type(self).__name__} cannot take this input",
                got=f"a tensor of {x.dtype}" if isinstance(x, Tensor) else type(x).__name__,
                expected=f"a tensor ({', '.join(axes)}) of floating-point numbers",
            )
        if x.layout is not torch.strided or x.is_nested:
            raise LayoutError(
                f"{type(self).__name__} cannot take this input",
                got="a nested tensor" if x.is_nested else x.layout,
                expected=f"a dense tensor ({', '.join(axes)})",
                hint="x.to_padded_tensor(0.0), and lengths=" if x.is_nested else "x.to_dense()",
            )
        precision = self._precision
        if precision not in (None, x.dtype) and not torch.is_autocast_enabled(x.device.type):
            raise ModelError(
                "the input and the weights differ in precision",
                got=f"{x.dtype} for a {precision} {type(self).__name__}",
                hint=f"x.to({precision})",
            )
        shape = x.shape
        if len(shape) != len(axes) or shape[-1] != self.d_model or 0 in shape:
            raise LayoutError(
                f"{type(self).__name__} cannot take this input",
                got=f"shape {tuple(x.shape)}",
                expected=f"({', '.join(axes)}) with {self.d_model} channels and no empty axis",
            )
