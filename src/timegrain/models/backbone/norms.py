"""The normalisations a backbone can have, by name."""

from jaxtyping import Int
from torch import Tensor, nn

from timegrain.models.backbone.batch_norm import MaskedBatchNorm
from timegrain.models.layer import Sequences
from timegrain.models.options import one_of
from timegrain.models.steps import valid_mask

NORMS = ("layer", "batch", "rms")
RMS_EPS = 1e-5  # LayerNorm's, where PyTorch would take that of the dtype


def make_norm(name: str, d_model: int) -> nn.Module:
    """Return a new normalisation over channels.

    Args:
        name: `"layer"`; `"batch"`, over the valid samples of all sequences; or `"rms"`, by the
            root mean square alone.
        d_model: Channels.

    Raises:
        ConfigError: If there is none of this name.

    Source:
        Ba, Kiros, Hinton, Layer Normalization (2016, arXiv 1607.06450); Ioffe, Szegedy, Batch
        Normalization (ICML 2015); Zhang, Sennrich, Root Mean Square Layer Normalization
        (NeurIPS 2019).

    Example:
        >>> make_norm("rms", 8)
        RMSNorm((8,), eps=1e-05, elementwise_affine=True)
    """
    if one_of("norm", name, NORMS) == "batch":
        return MaskedBatchNorm(d_model)
    return nn.LayerNorm(d_model) if name == "layer" else nn.RMSNorm(d_model, eps=RMS_EPS)


def normalised(
    norm: nn.Module, h: Sequences, lengths: Int[Tensor, " batch"] | None = None
) -> Sequences:
    """Return what a normalisation makes of sequences.

    Args:
        norm: As `make_norm` returns it, or any map of samples by themselves.
        h: `(batch, time, channel)`.
        lengths: Valid samples, `(batch,)`.
    """
    out: Tensor
    if isinstance(norm, MaskedBatchNorm) and norm.training and lengths is not None:
        out = norm(h, valid_mask(lengths, h.shape[0], h.shape[1], h.device))
    else:
        out = norm(h)
    return out
