"""What a stage asks of each of its steps."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from timegrain.core.errors import ModelError
from timegrain.training.batch import Batch, decimate
from timegrain.training.score import device_of

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, kw_only=True)
class StepSettings:
    """How a step of a stage is done.

    Args:
        stage: Number of the stage, 0 for the first.
        stride: One sample is kept in so many.
        tau: What the network is told.
        decimator: `"phase"`, `"mean"` or `"fir"`.
        place: `"input"` or `"embedding"`.
        batch_size: Sequences a step.
    """

    stage: int
    stride: int
    tau: float
    decimator: str
    place: str
    batch_size: int

    def offset(self, time: int, generator: "torch.Generator | None") -> int:
        """Return a phase drawn at random.

        Args:
            time: Samples of the padded batch.
            generator: Of the draw.
        """
        import torch

        return int(torch.randint(min(self.stride, time), (1,), generator=generator))

    def answer(self, model: nn.Module, batch: Batch, offset: int) -> tuple[Tensor, Batch]:
        """Return the network's output on what the stage leaves, and the batch it belongs to.

        Args:
            model: A network; with `place="embedding"` one with `embed` and `from_embedding`.
            batch: All samples.
            offset: The phase.

        Raises:
            ModelError: If the network cannot be entered after its embedding.
        """
        if self.place == "input" or self.stride == 1:
            thin = self.thin(batch, offset).to(device_of(model))
            return model(thin.x, self.tau, lengths=thin.lengths), thin
        check_embedding(model)
        network: Any = model
        whole = batch.to(device_of(model))
        features = network.embed(whole.x, lengths=whole.lengths)
        thin = self.thin(_with_values(whole, features), offset)
        return network.from_embedding(thin.x, self.tau, lengths=thin.lengths), thin

    def thin(self, batch: Batch, offset: int) -> Batch:
        """Return what the stage leaves of a batch.

        Args:
            batch: All samples.
            offset: The phase.
        """
        return decimate(batch, self.stride, offset=offset, decimator=self.decimator)


def check_embedding(model: nn.Module) -> None:
    """Check that a network can be entered after its embedding.

    Raises:
        ModelError: If it cannot.
    """
    if not (hasattr(model, "embed") and hasattr(model, "from_embedding")):
        raise ModelError(
            f"{type(model).__name__} cannot drop samples after its embedding",
            expected="embed(x, lengths=...) and from_embedding(h, tau, lengths=...)",
            hint="place='input'",
        )


def _with_values(batch: Batch, x: Tensor) -> Batch:
    from dataclasses import replace

    return replace(batch, x=x)
