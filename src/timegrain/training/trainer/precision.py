"""Mixed precision: matrix products in 16 bits, everything that they are summed into in 32."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

import torch
from torch import Tensor, nn

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models.options import shown
from timegrain.training.score import device_of
from timegrain.training.trainer.divergence import diverged

Amp = bool | Literal["bfloat16", "float16"]
DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16}


def check_amp(amp: object) -> str | None:
    """Return the name of the 16-bit format that is asked for, None for none.

    Args:
        amp: False, True (bfloat16), or a name.

    Raises:
        ConfigError: If it is none of these.

    Example:
        >>> check_amp(False), check_amp(True), check_amp("float16")
        (None, 'bfloat16', 'float16')
    """
    if isinstance(amp, bool):
        return "bfloat16" if amp else None
    if isinstance(amp, str) and amp in DTYPES:
        return amp
    raise ConfigError(
        "amp is the format of mixed precision",
        got=f"amp={shown(amp)}",
        expected="True, False, 'bfloat16' or 'float16'",
    )


class Precision:
    """How a network is called and its loss taken back.

    Args:
        dtype: Of matrix products; None leaves everything as it is.
        scaler: Of the loss, which float16 needs for small gradients not to vanish.
    """

    def __init__(
        self, dtype: torch.dtype | None = None, scaler: "torch.amp.GradScaler | None" = None
    ) -> None:
        self.dtype, self.scaler = dtype, scaler

    @classmethod
    def of(cls, amp: str | None, model: nn.Module) -> "Precision":
        """Return the precision for a network where it is.

        Args:
            amp: As `check_amp` returns it.
            model: The network.

        Raises:
            ConfigError: If the device cannot compute so.
            ModelError: If the weights are not float32.
        """
        if amp is None:
            return cls()
        device = device_of(model)
        _check_device(amp, device)
        wide = {p.dtype for p in model.parameters()} - {torch.float32}
        if wide:
            raise ModelError(
                "mixed precision is for float32 networks",
                got=", ".join(sorted(map(str, wide))),
                hint="model.float(), or amp=False",
            )
        scaler = torch.amp.GradScaler(device.type) if amp == "float16" else None
        return cls(DTYPES[amp], scaler)

    def autocast(self, device: torch.device) -> AbstractContextManager[object]:
        """Return the context in which the network is called."""
        if self.dtype is None:
            return nullcontext()
        return torch.autocast(device.type, dtype=self.dtype)

    def widened(self, out: Tensor) -> Tensor:
        """Return an answer as the loss is computed from it: in 32 bits at least."""
        return out if self.dtype is None else out.float()

    def back(self, loss: Tensor) -> None:
        """Add the gradient of a loss, scaled where it has to be, to those of the parameters."""
        (loss if self.scaler is None else self.scaler.scale(loss)).backward()

    def settle(self, optimiser: torch.optim.Optimizer) -> bool:
        """Take the scale off the gradients, and return whether they fitted into 16 bits.

        Args:
            optimiser: Of the parameters.

        Raises:
            ModelError: If they overflow whatever the scale.
        """
        if self.scaler is None:
            return True
        before = self.scaler.get_scale()
        self.scaler.unscale_(optimiser)
        self.scaler.update()
        fitted = self.scaler.get_scale() >= before
        if not fitted and before < 1.0:
            raise diverged(
                "a gradient",
                f"an overflow of float16 at a scale of {before:g}",
                hint="amp='bfloat16', which has the range of float32, or a lower learning rate",
            )
        return fitted

    def state_dict(self) -> dict[str, Any]:
        """Return the scale and how long it has held; nothing where there is none."""
        return {} if self.scaler is None else self.scaler.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        if self.scaler is not None:
            self.scaler.load_state_dict(state)


def check_precision(amp: object, model: nn.Module) -> None:
    """Check that a network can be trained in a precision where it is.

    Args:
        amp: As in `train`.
        model: The network.

    Raises:
        ConfigError: If the device cannot compute so.
        ModelError: If the weights are not float32.
    """
    Precision.of(check_amp(amp), model)


def _check_device(amp: str, device: torch.device) -> None:
    if amp == "float16" and device.type != "cuda":
        raise ConfigError(
            "float16 needs a CUDA device",
            got=f"amp='float16' for a network on the {device.type}",
            expected="a network on a CUDA device",
            hint="amp='bfloat16', which computes everywhere",
        )
    if not torch.amp.is_autocast_available(device.type):
        raise ConfigError(
            "there is no mixed precision on this device", got=str(device), hint="amp=False"
        )
