"""Short convolutions that span the same time on every grid: `Dilated`."""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from torch import Tensor, nn

from timegrain.core.errors import GridError, ModelError
from timegrain.models.layers.short_convolution import ShortConvolution

WHOLE = 1e-9  # 1 / tau is a whole number if it is this close to one


class Dilated(nn.Module):
    r"""A model whose convolutions over time span the same time at every step.

    A convolution counts samples: on a grid n times as fine it reaches 1/n as far back. Here its
    taps are set n samples apart for the call, so that it reads the same instants. Neither the
    model's code nor its weights change, and at tau = 1 it is the model itself.

    Args:
        model: Any module; the convolutions found in it are a timegrain `ShortConvolution`, and each
            `torch.nn.Conv1d` of stride 1 whose own zero padding keeps the length, on one side
            (`padding = kernel - 1`, what is too long cut off by its caller) or on both.
        names: Names of submodules, to dilate only these; None for all that can be.

    Raises:
        ModelError: If there is none, or a name is of no such convolution.

    Math:
        `y(t) = b + sum_j w_j u(t - (k-1-j) dt_trained)` on grids of step `dt_trained / n`.

    Note:
        Whole sequences only: a state carried from call to call holds too few samples. Where nothing
        tells the rest of the model its step, only its convolutions are cured.

    Source:
        Yu, Koltun, Multi-Scale Context Aggregation by Dilated Convolutions (2016, arXiv
        1511.07122), section 2, for dilation.

    Example:
        >>> import torch
        >>> from timegrain.models import build_layer
        >>> layer = build_layer("mamba", d_model=4, seed=0)
        >>> model = Dilated(layer)
        >>> model.names, model(torch.randn(1, 31, 4), 0.5).shape
        (('conv',), torch.Size([1, 31, 4]))
    """

    takes_tau = True

    def __init__(self, model: nn.Module, *, names: Sequence[str] | None = None) -> None:
        super().__init__()
        found = tuple(name for name, m in model.named_modules() if _can_be_dilated(m))
        unknown = [name for name in names or () if name not in found]
        if unknown or not found:
            raise ModelError(
                "there is no convolution over time to dilate",
                got=", ".join(unknown) or type(model).__name__,
                expected=", ".join(found)
                or "a ShortConvolution, or a Conv1d of stride 1 that pads with zeros by itself",
            )
        self.model = model
        self.names = found if names is None else tuple(names)
        forward = inspect.signature(model.forward).parameters
        self._tells = "tau" in forward and getattr(model, "takes_tau", True) is not False

    @property
    def tells(self) -> bool:
        """Whether the model itself is told tau, too."""
        return self._tells

    def forward(self, x: Tensor, tau: float = 1.0) -> Any:
        """Return what the model does, its convolutions dilated by `1 / tau`.

        Args:
            x: Input, `(batch, time, channel)`.
            tau: `dt / dt_trained`, 1 over a whole number; the model is told it, too, if it can be.

        Raises:
            GridError: If `1 / tau` is no whole number.
        """
        with self.stretched(tau):
            return self.model(x, tau=tau) if self._tells else self.model(x)

    def stretched(self, tau: float) -> AbstractContextManager[None]:
        """Return a context in which the model's convolutions are dilated by `1 / tau`.

        For a model that is called in another way than with `(x, tau)`.

        Args:
            tau: As for `forward`.

        Raises:
            GridError: If `1 / tau` is no whole number.
        """
        convolutions = [self.model.get_submodule(name) for name in self.names]
        return _dilated(convolutions, whole_dilation(tau))


def whole_dilation(tau: float) -> int:
    """Return `1 / tau`, how many samples apart the taps of a convolution are set.

    Args:
        tau: `dt / dt_trained`.

    Raises:
        GridError: If it is no whole number.

    Example:
        >>> whole_dilation(0.25)
        4
    """
    inverse = 1.0 / tau if isinstance(tau, int | float) and tau > 0 else 0.0
    whole = round(inverse)
    if whole < 1 or abs(inverse - whole) > WHOLE * inverse:
        raise GridError(
            "a convolution is dilated by whole numbers",
            got=f"tau={tau!r}",
            expected="one number, 1 over a whole one, such as 0.5 or 0.25",
            hint="timegrain.models.Interpolated, which takes any step",
        )
    return whole


def _can_be_dilated(module: nn.Module) -> bool:
    if isinstance(module, ShortConvolution):
        return module.width > 1
    if not isinstance(module, nn.Conv1d) or module.padding_mode != "zeros":
        return False
    reach = module.dilation[0] * (module.kernel_size[0] - 1)
    keeps = module.padding == "same" or module.padding in ((reach,), (reach / 2,))
    return keeps and reach > 0 and module.stride == (1,)


@contextmanager
def _dilated(convolutions: Sequence[nn.Module], factor: int) -> Iterator[None]:
    before: list[tuple[Any, Any, Any]] = []
    try:
        for conv in convolutions:
            before.append((conv, conv.dilation, getattr(conv, "padding", None)))
            _stretch(conv, factor)
        yield
    finally:
        for conv, dilation, padding in before:
            conv.dilation = dilation
            if padding is not None:
                conv.padding = padding


def _stretch(conv: Any, factor: int) -> None:
    if isinstance(conv, ShortConvolution):
        conv.dilation *= factor
        return
    conv.dilation = (conv.dilation[0] * factor,)
    if conv.padding != "same":
        conv.padding = (conv.padding[0] * factor,)
