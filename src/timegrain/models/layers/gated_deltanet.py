"""Gated DeltaNet: the delta rule on a state that forgets."""

from collections.abc import Iterator

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from timegrain.models.layer import Sequences
from timegrain.models.layers.deltanet import strength
from timegrain.models.layers.heads import projection, read_norm, shared_out, unit
from timegrain.models.layers.matrix_state import MatrixState, Ratio, Selected, short_filter
from timegrain.models.layers.scalar_gate import ScalarGate
from timegrain.models.options import flag, positive_int


class GatedDeltaNet(MatrixState):
    r"""The delta rule with Mamba-2's gate before it.

    Args:
        d_model: Channels.
        skip: Changes nothing, since the layer has no skip term; every layer can be built alike.
        n_heads: Heads; None for the most, up to 4, of 8 channels or more.
        expand_v: Value channels per channel.
        d_conv: Samples that the short convolution of q, k and v spans; 0 for none.
        dt_min: Smallest initial `softplus(bias)` of the gate, in steps of the training grid.
        dt_max: Largest.
        negative_eigenvalues: Whether beta goes to 2; the layer cannot be told its step then.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        `S_k = alpha_k (I - beta_k k_k k_k') S_{k-1} + beta_k k_k v_k'`,
        `y_k = W_o (norm(S_k' q_k / sqrt(d)) * silu(W_g x_k))`,
        `alpha = exp(-s exp(a) softplus(w x + b))`, `beta = 1 - (1 - sigmoid(w x))^s`, q, k and v as
        in DeltaNet. `tau` enters both; the short convolution cannot be told.

    Source:
        Yang, Kautz, Hatamizadeh, Gated Delta Networks: Improving Mamba2 with Delta Rule (ICLR 2025,
        arXiv 2412.06464): eq. (10) for the rule, section 3.4 and figure 1 for the layer; the gate
        as in Dao, Gu, Transformers are SSMs (ICML 2024, arXiv 2405.21060).

    Example:
        >>> import torch
        >>> layer = GatedDeltaNet(8, d_conv=0)
        >>> y, state = layer.scan(torch.randn(2, 30, 8), tau=0.5)
        >>> y.shape, state.shape
        (torch.Size([2, 30, 8]), torch.Size([2, 1, 8, 16]))
    """

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        n_heads: int | None = None,
        expand_v: int = 2,
        d_conv: int = 4,
        dt_min: float = 0.001,
        dt_max: float = 0.1,
        negative_eigenvalues: bool = False,
    ) -> None:
        super().__init__(d_model)
        flag("skip", skip)
        self.negative_eigenvalues = flag("negative_eigenvalues", negative_eigenvalues)
        self.takes_tau = not self.negative_eigenvalues
        self.n_heads = shared_out({"channels": d_model}, n_heads)
        self.d_head, values = d_model // self.n_heads, positive_int("expand_v", expand_v) * d_model
        self.state_shape = (self.n_heads, self.d_head, values // self.n_heads)
        self.qkv = projection(d_model, 2 * d_model + values)
        self.conv = short_filter(2 * d_model + values, d_conv)
        self.beta = projection(d_model, self.n_heads)
        self.forget = ScalarGate(d_model, self.n_heads, dt_min=dt_min, dt_max=dt_max)
        self.norm = read_norm(values // self.n_heads)
        self.swish = projection(d_model, values)
        self.out = projection(values, d_model)

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate what makes the gate and beta."""
        yield from self.forget.parameters()
        yield from self.beta.parameters()

    def _project(self, x: Sequences) -> Sequences:
        raw: Tensor = self.qkv(x)
        return raw

    def _select(self, x: Sequences, u: Sequences, ratio: Ratio) -> Selected:
        u = F.silu(u) if self.conv is None else u
        widths = [self.d_model, self.d_model, u.shape[-1] - 2 * self.d_model]
        q, k, v = (p.unflatten(-1, (self.n_heads, -1)) for p in u.split(widths, dim=-1))
        log_gate = self.forget(x) * ratio
        beta = strength(self.beta(x), ratio, twice=self.negative_eigenvalues)
        return Selected(unit(q) * self.d_head**-0.5, unit(k), v, log_gate, beta)

    def _read(
        self, y: Float[Tensor, "batch time head value"], x: Sequences, chosen: Selected
    ) -> Sequences:
        normed = self.norm(y.to(self.norm.weight.dtype)).flatten(2).to(x.dtype)
        out: Tensor = self.out(normed * F.silu(self.swish(x)))
        return out
