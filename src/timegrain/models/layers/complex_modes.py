"""The base of layers with complex modes, which have no half precision."""

import torch
from torch import Tensor, nn

from timegrain.core.errors import ModelError
from timegrain.models.layer import SequenceLayer

HALF = (torch.float16, torch.bfloat16)


class ComplexModes(SequenceLayer):
    """A layer of complex modes: its weights are float32 or float64.

    torch has no complex numbers of half precision to compute with, and bfloat16 would keep two to
    three digits of a pole, which decides over thousands of steps. Inputs of half precision are
    taken: under `torch.autocast` the rest of a network computes in it.
    """

    log_dt: nn.Parameter

    @property
    def _weights(self) -> torch.dtype:
        return self.log_dt.dtype

    def _check(self, x: Tensor, axes: tuple[str, ...]) -> None:
        super()._check(x, axes)
        if self._weights in HALF:
            name, device = type(self).__name__, x.device.type
            raise ModelError(
                f"{name} has complex modes, for which there is no half precision",
                got=f"weights of {self._weights}",
                expected="torch.float32 or torch.float64",
                hint=f"model.float(), and torch.autocast({device!r}, {self._weights}) around "
                "its calls, where the rest of the network may compute in half precision",
            )
