"""DeltaNet: a matrix state in which a new value takes the place of what its key reads."""

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from timegrain.models.layer import Sequences
from timegrain.models.layers.heads import projection, read_norm, shared_out, unit
from timegrain.models.layers.matrix_state import MatrixState, Ratio, Selected, short_filter
from timegrain.models.options import flag


class DeltaNet(MatrixState):
    r"""Linear attention by the delta rule, keys and queries of unit length.

    Args:
        d_model: Channels.
        skip: Changes nothing, since the layer has no skip term; every layer can be built alike.
        n_heads: Heads; None for the most, up to 4, of 8 channels or more.
        d_conv: Samples that the short convolution of q, k and v spans; 0 for none.
        negative_eigenvalues: Whether beta goes to 2 and not to 1, so that a step may turn what a
            key reads into its negative. There is no system in continuous time then, and the layer
            cannot be told its step.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        `S_k = (I - beta_k k_k k_k') S_{k-1} + beta_k k_k v_k'`,
        `y_k = W_o norm(S_k' q_k / sqrt(d))`, `(q, k, v) = silu(conv(W x))`, q and k made unit
        vectors, `beta = 1 - (1 - sigmoid(w . x))^s`.
        At `s = 1` it is the published layer; what a key reads decays to its value at one rate
        whatever the step, since `1 - beta` is what is left of the difference. The short convolution
        counts samples and cannot be told.

    Source:
        Yang, Wang, Zhang, Shen, Kim, Parallelizing Linear Transformers with the Delta Rule over
        Sequence Length (NeurIPS 2024, arXiv 2406.06484): eq. (1) for the rule, section 3.3 for
        features, norms and the convolution. Schlag, Irie, Schmidhuber, Linear Transformers Are
        Secretly Fast Weight Programmers (ICML 2021, arXiv 2102.11174), for the delta rule. beta up
        to 2: Grazzi et al., Unlocking State-Tracking in Linear RNNs Through Negative Eigenvalues
        (ICLR 2025, arXiv 2411.12537).

    Example:
        >>> layer = DeltaNet(8, d_conv=0)
        >>> y, state = layer.scan(torch.randn(2, 30, 8), tau=0.5)
        >>> y.shape, state.shape
        (torch.Size([2, 30, 8]), torch.Size([2, 1, 8, 8]))
    """

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        n_heads: int | None = None,
        d_conv: int = 4,
        negative_eigenvalues: bool = False,
    ) -> None:
        super().__init__(d_model)
        flag("skip", skip)
        self.negative_eigenvalues = flag("negative_eigenvalues", negative_eigenvalues)
        self.takes_tau = not self.negative_eigenvalues
        self.n_heads = shared_out({"channels": d_model}, n_heads)
        self.d_head = d_model // self.n_heads
        self.state_shape = (self.n_heads, self.d_head, self.d_head)
        self.qkv = projection(d_model, 3 * d_model)
        self.conv = short_filter(3 * d_model, d_conv)
        self.beta = projection(d_model, self.n_heads)
        self.norm = read_norm(self.d_head)
        self.out = projection(d_model, d_model)

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate what makes beta, which sets how fast values are replaced."""
        return self.beta.parameters()

    def _project(self, x: Sequences) -> Sequences:
        raw: Tensor = self.qkv(x)
        return raw

    def _select(self, x: Sequences, u: Sequences, ratio: Ratio) -> Selected:
        u = F.silu(u) if self.conv is None else u
        q, k, v = u.unflatten(-1, (3, self.n_heads, -1)).unbind(-3)
        beta = strength(self.beta(x), ratio, twice=self.negative_eigenvalues)
        return Selected(unit(q) * self.d_head**-0.5, unit(k), v, beta=beta)

    def _read(
        self, y: Float[Tensor, "batch time head value"], x: Sequences, chosen: Selected
    ) -> Sequences:
        out: Tensor = self.out(self.norm(y.to(self.norm.weight.dtype)).flatten(2).to(x.dtype))
        return out


def strength(
    raw: Float[Tensor, "batch time head"], ratio: Ratio, *, twice: bool
) -> Float[Tensor, "batch time head"]:
    """Return `1 - (1 - sigmoid(raw))^s`, or `2 sigmoid(raw)`; in float32 at least.

    Args:
        raw: Logits.
        ratio: s, 0 on padding.
        twice: Whether the strength goes to 2, which has no step.

    Example:
        >>> strength(torch.zeros(1, 1, 1), 2.0, twice=False).item()
        0.75
    """
    raw = raw.to(torch.promote_types(raw.dtype, torch.float32))
    if not twice:
        return -torch.expm1(ratio * F.logsigmoid(-raw))
    exists = ratio if isinstance(ratio, float) else (ratio > 0).to(raw.dtype)
    return 2 * torch.sigmoid(raw) * exists
