"""Batch normalisation that padding has no part in."""

from jaxtyping import Bool
from torch import Tensor, nn
from torch.nn import functional as F

from timegrain.models.layer import Sequences


class MaskedBatchNorm(nn.BatchNorm1d):
    """PyTorch's batch norm over the samples that exist, of all sequences of the batch together.

    In training the mean and variance are those of the valid samples, as if each sequence stood
    alone, unpadded, behind the one before; running statistics are kept of them, and used in eval
    mode. Where a batch in training has fewer than two valid samples there is no variance: the
    running statistics are then used, and stay as they are. Processes that train together each have
    the statistics of their own sequences, as with PyTorch's.

    Args:
        num_features: Channels.

    Source:
        Ioffe, Szegedy, Batch Normalization: Accelerating Deep Network Training by Reducing
        Internal Covariate Shift (ICML 2015), algorithms 1 and 2.

    Example:
        >>> import torch
        >>> norm, h = MaskedBatchNorm(3), torch.randn(2, 5, 3)
        >>> valid = torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
        >>> y = norm(h, valid)
        >>> bool(y[valid].mean(0).abs().max() < 1e-6)
        True
    """

    def forward(self, h: Sequences, valid: Bool[Tensor, "batch time"] | None = None) -> Sequences:
        """Return the normalised samples.

        Args:
            h: `(batch, time, channel)`.
            valid: True on samples that exist; None when all do. What is returned elsewhere means
                nothing.
        """
        if valid is None or not self.training:
            return self._flat(h.reshape(-1, h.shape[-1])).view_as(h)
        kept = self._flat(h[valid])
        return kept.new_zeros(h.shape).masked_scatter(valid[..., None], kept)

    def _flat(self, samples: Tensor) -> Tensor:
        if self.training and len(samples) < 2:
            return F.batch_norm(
                samples, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps
            )
        return super().forward(samples)
