"""Gated linear attention: linear attention that forgets, each key channel at a rate of its own."""

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from timegrain.kernels.phi import phi1
from timegrain.models.layer import Sequences
from timegrain.models.layers.heads import projection, read_norm, shared_out
from timegrain.models.layers.matrix_state import MatrixState, Ratio, Selected
from timegrain.models.options import flag, positive_int

SHARPNESS = 16  # the root of the gate, so that it begins near one


class GLA(MatrixState):
    r"""Linear attention with a gate for each key channel that the input decides over.

    Args:
        d_model: Channels.
        skip: Changes nothing, since the layer has no skip term; every layer can be built alike.
        n_heads: Heads; None for the most, up to 4, of 8 key channels or more.
        rank: Of the projection to the gate.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        `S_k = diag(alpha_k^s) S_{k-1} + ((1 - alpha_k^s) / (1 - alpha_k) * k_k) v_k'`,
        `y_k = W_o (norm(S_k' q_k / sqrt(d_key)) * silu(W_r x_k))`,
        `alpha = sigmoid(V W x + b)^(1/16)`, keys of half the channels. At `s = 1` it is the
        published layer. `tau` enters in both places: what is kept, and what is written, as for an
        input held over the step. With the gate alone, states would grow as `1 / tau`.

    Source:
        Yang, Wang, Shen, Panda, Kim, Gated Linear Attention Transformers with Hardware-Efficient
        Training (ICML 2024, arXiv 2312.06635): section 4.1 and eq. (3) for the recurrence, section
        4.4 for gate, norm and widths.

    Example:
        >>> layer = GLA(8)
        >>> y, state = layer.scan(torch.randn(2, 30, 8), tau=0.5)
        >>> y.shape, state.shape
        (torch.Size([2, 30, 8]), torch.Size([2, 1, 4, 8]))
    """

    conv = None

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        n_heads: int | None = None,
        rank: int = 16,
    ) -> None:
        super().__init__(d_model)
        flag("skip", skip)
        keys = max(d_model // 2, 1)
        self.n_heads = shared_out({"key channels": keys, "channels": d_model}, n_heads)
        self.d_key = keys // self.n_heads
        self.state_shape = (self.n_heads, self.d_key, d_model // self.n_heads)
        self.q, self.k = projection(d_model, keys), projection(d_model, keys)
        self.v = projection(d_model, d_model)
        rank = positive_int("rank", rank)
        self.gate = nn.Sequential(projection(d_model, rank), projection(rank, keys, bias=True))
        self.norm = read_norm(d_model // self.n_heads)
        self.swish = projection(d_model, d_model, bias=True)
        self.out = projection(d_model, d_model)

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate what makes the gate, which sets time scales."""
        return self.gate.parameters()

    def _project(self, x: Sequences) -> Sequences:
        return x

    def _select(self, x: Sequences, u: Sequences, ratio: Ratio) -> Selected:
        q, k, v = (part(u).unflatten(-1, (self.n_heads, -1)) for part in (self.q, self.k, self.v))
        raw = self.gate(u).to(torch.promote_types(x.dtype, torch.float32))
        log_gate = (F.logsigmoid(raw) / SHARPNESS).unflatten(-1, (self.n_heads, -1))
        scale = self.d_key**-0.5
        if isinstance(ratio, float) and ratio == 1.0:
            return Selected(q * scale, k, v, log_gate)
        s = ratio if isinstance(ratio, float) else ratio[..., None]
        share = s * phi1(s * log_gate) / phi1(log_gate)
        return Selected(q * scale, k * share, v, s * log_gate)

    def _read(
        self, y: Float[Tensor, "batch time head value"], x: Sequences, chosen: Selected
    ) -> Sequences:
        normed = self.norm(y.to(self.norm.weight.dtype)).flatten(2).to(x.dtype)
        out: Tensor = self.out(normed * F.silu(self.swish(x)))
        return out
