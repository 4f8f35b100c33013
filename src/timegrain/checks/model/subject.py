"""A model ready to be checked: how it is called, and what it says of itself."""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn

from timegrain.checks.model.adapted import Adapted
from timegrain.checks.model.inputs import Inputs
from timegrain.continuity.model.adapters import to_double
from timegrain.continuity.model.introspect import has_parameter
from timegrain.continuity.model.scripted import deep_copy
from timegrain.core.errors import ModelError
from timegrain.core.users_code import users_code


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What the checks see of a model.

    Args:
        name: For results and errors.
        model: The module in eval mode, a copy of the user's; or a function of tensors.
        inputs: Draws inputs.
        dtype: What it computes in.
        untold: Why it is not told its step; empty if it is.
        refuses: Whether it takes a tau and says that it ignores it.
        unmasked: Why it is given no lengths; empty if it takes them.
        unscanned: Why it cannot be scanned with a state; empty if it can.
        unstepped: Why it cannot be stepped; empty if it can.
        arrays: Whether it is a function of numpy arrays.
        order: Declared order of convergence, if any.
        built: Name and options it was built from, if it was built here.
        lends: Whether it is called on the tensors that are passed and its own answers are returned;
            else copies, so that a model that writes into either fails the check about it alone.
        fewest: Samples below which it cannot be called, as far as is known: a kernel or a pool may
            need so many.
        most: Samples of a sequence beyond which its outputs would fill memory.
        untouched: The module before it was called here; None for a function.
    """

    name: str
    model: Any
    inputs: Inputs
    dtype: torch.dtype
    untold: str
    refuses: bool
    unmasked: str
    unscanned: str
    unstepped: str
    arrays: bool = False
    order: int | None = None
    built: "Built | None" = None
    lends: bool = False
    fewest: int = 1
    most: int = sys.maxsize
    untouched: nn.Module | None = None

    @property
    def told(self) -> bool:
        """Whether it is told its step."""
        return not self.untold

    @property
    def masks_scan(self) -> bool:
        """Whether its scan takes lengths."""
        return not self.unscanned and has_parameter(self.model.scan, "lengths")

    @property
    def module(self) -> nn.Module | None:
        """The module, if it is one."""
        return self.model if isinstance(self.model, nn.Module) else None

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        weight = next(self.module.parameters(), None) if self.module is not None else None
        return torch.device("cpu") if weight is None else weight.device

    def to(self, dtype: torch.dtype) -> "Subject":
        """Return a copy that computes in another dtype."""
        return replace(self, model=cast_model(self.model, dtype, self.name), dtype=dtype)

    def copy(self) -> "Subject":
        """Return a copy whose weights are its own."""
        return replace(self, model=deep_copy(self.model))

    def anew(self) -> "Subject":
        """Return a copy of the module as it was before it was called here."""
        return replace(self, model=cast_model(self.untouched, self.dtype, self.name))

    def at_least(self, time: int) -> int:
        """Return a number of samples, or more if the model needs more, or less if it gives much."""
        return max(min(time, self.most), self.fewest)

    def draw(self, batch: int, time: int, *, number: int = 0) -> Tensor:
        """Return an input in the model's dtype, on its device."""
        return self.place(self.inputs.draw(batch, time, number=number))

    def place(self, x: Tensor) -> Tensor:
        """Return an input in the model's dtype, on its device."""
        return x.to(self.device, self.dtype if x.is_floating_point() else None)

    def __call__(self, x: Tensor, tau: Any = None, lengths: Tensor | None = None) -> Tensor:
        """Return the output; `tau` and `lengths` are passed only where they are given."""
        given: dict[str, Any] = {} if tau is None else {"tau": tau}
        if lengths is not None:
            given["lengths"] = self._own(lengths)
        if self.arrays:
            with users_code(self.name, ModelError):
                out = torch.as_tensor(_first(self.model(self._own(x).cpu().numpy(), **given)))
            return self._tensor(out)
        return self._tensor(self._do(self.model, self._own(x), **given))

    def scan(
        self, x: Tensor, state: Any = None, *, tau: Any = None, lengths: Tensor | None = None
    ) -> tuple[Tensor, Any]:
        """Return outputs and state."""
        given: dict[str, Any] = self._telling(self.model.scan, tau)
        if lengths is not None:
            given["lengths"] = self._own(lengths)
        y, after = self._pair(self._do(self.model.scan, self._own(x), state, **given), "scan")
        return self._tensor(y), after

    def step(self, x_t: Tensor, state: Any = None, *, tau: Any = None) -> tuple[Tensor, Any]:
        """Return the output of one sample and the state after it."""
        given = self._telling(self.model.step, tau)
        y, after = self._pair(self._do(self.model.step, self._own(x_t), state, **given), "step")
        return self._tensor(y), after

    def parameters(self) -> Iterator[tuple[str, nn.Parameter]]:
        """Iterate the parameters that can learn, with their names."""
        if self.module is not None:
            replaced = self.module.replaced if isinstance(self.module, Adapted) else ()
            for name, weight in self.module.named_parameters():
                if weight.requires_grad and name not in replaced:
                    yield name, weight

    def _own(self, x: Tensor) -> Tensor:
        return x if self.lends else x.clone()

    def _telling(self, function: Callable[..., Any], tau: Any) -> dict[str, Any]:
        return {} if tau is None or not has_parameter(function, "tau") else {"tau": tau}

    def _do(self, function: Callable[..., Any], *arguments: Any, **given: Any) -> Any:
        with users_code(self.name, ModelError):
            return function(*arguments, **given)

    def _tensor(self, raw: Any) -> Tensor:
        raw = _first(raw)
        if not isinstance(raw, Tensor):
            raise ModelError(
                f"the output of {self.name} cannot be read",
                got=type(raw).__name__,
                expected="a tensor, or a tuple that begins with one",
            )
        if not raw.ndim:
            raise ModelError(
                f"the output of {self.name} has no sequences apart",
                got="a tensor of one number",
                expected="a tensor whose first axis is the batch",
            )
        return raw if raw.requires_grad else self._own(raw)

    def _pair(self, raw: Any, what: str) -> tuple[Any, Any]:
        if not (isinstance(raw, tuple) and len(raw) == 2):
            raise ModelError(
                f"{what}() of {self.name} returns something else",
                got=type(raw).__name__,
                expected="(output, state)",
                hint=f"returning (output, state) from {what}()",
            )
        return raw


@dataclass(frozen=True, kw_only=True)
class Built:
    """How a subject was built, so that it can be built again.

    Args:
        layer: A registered name.
        d_model: Channels.
        options: Options of the layer.
        seed: Of its weights.
    """

    layer: str
    d_model: int
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int

    def make(self, **others: Any) -> nn.Module:
        """Return the layer anew, with other options where they are given."""
        from timegrain.models.build import build_layer

        options = {**self.options, **others}
        return build_layer(self.layer, d_model=self.d_model, seed=self.seed, **options).eval()


def cast_model(model: Any, dtype: torch.dtype, name: str) -> Any:
    """Return a copy of a module in another dtype; a function as it is."""
    if not isinstance(model, nn.Module):
        return model
    with users_code(name, ModelError, doing="cannot be copied"):
        clone = deep_copy(model)
    if dtype == torch.float64:
        return to_double(clone)
    clone = clone.to(dtype) if not _has_complex(clone) else clone.float()
    for tensor in (*clone.parameters(), *clone.buffers()):
        if tensor.is_complex():  # Module.float() leaves these as they are
            tensor.data = tensor.data.to(torch.complex64)
    return clone


def _has_complex(module: nn.Module) -> bool:
    # Module.to(a real dtype) would drop their imaginary parts
    return any(t.is_complex() for t in (*module.parameters(), *module.buffers()))


def _first(raw: Any) -> Any:
    return raw[0] if isinstance(raw, tuple | list) and raw else raw
