"""Linear attention: softmax's place taken by a product of features, so that it can be scanned."""

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from timegrain.models.layer import Sequences
from timegrain.models.layers.heads import projection, shared_out
from timegrain.models.layers.matrix_state import MatrixState, Ratio, Selected
from timegrain.models.options import flag

_EPSILON = 1e-6  # of the denominator, as the authors have it


class LinearAttention(MatrixState):
    r"""Attention with the kernel `phi(q) . phi(k)`, `phi = elu + 1`, over all of the past.

    Args:
        d_model: Channels.
        skip: Changes nothing, since the layer has no skip term; every layer can be built alike.
        n_heads: Heads; None for the most, up to 4, of 8 channels or more.
        normalised: Whether what is read is divided by the sum of its weights.

    Raises:
        ConfigError: If an option is outside its domain.

    Math:
        `y_k = sum_j s_j (phi(q_k) . phi(k_j)) v_j / sum_j s_j (phi(q_k) . phi(k_j))` over `j <= k`,
        both sums as right-sided Riemann sums: `tau` enters as `s_j`, in the numerator and in the
        normaliser. Without `normalised` the second is absent, and outputs grow with time.

    Source:
        Katharopoulos, Vyas, Pappas, Fleuret, Transformers are RNNs (ICML 2020, arXiv 2006.16236):
        eq. (5) for the sums, (7) for the features, (16) to (20) for the scan.

    Example:
        >>> import torch
        >>> layer = LinearAttention(8)
        >>> y, state = layer.scan(torch.randn(2, 30, 8), tau=0.5)
        >>> y.shape, state.shape
        (torch.Size([2, 30, 8]), torch.Size([2, 1, 8, 9]))
    """

    conv = None

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        n_heads: int | None = None,
        normalised: bool = True,
    ) -> None:
        super().__init__(d_model)
        flag("skip", skip)
        self.normalised = flag("normalised", normalised)
        self.n_heads = shared_out({"channels": d_model}, n_heads)
        width = d_model // self.n_heads
        self.state_shape = (self.n_heads, width, width + self.normalised)
        self.qkv = nn.ModuleList(projection(d_model, d_model) for _ in range(3))
        self.out = projection(d_model, d_model)

    def _project(self, x: Sequences) -> Sequences:
        return x

    def _select(self, x: Sequences, u: Sequences, ratio: Ratio) -> Selected:
        q, k, v = (part(u).unflatten(-1, (self.n_heads, -1)) for part in self.qkv)
        if self.normalised:
            v = F.pad(v, (0, 1), value=1.0)
        weight = ratio if isinstance(ratio, float) else ratio[..., None].to(v.dtype)
        return Selected(F.elu(q) + 1, F.elu(k) + 1, v * weight)

    def _read(
        self, y: Float[Tensor, "batch time head value"], x: Sequences, chosen: Selected
    ) -> Sequences:
        if self.normalised:
            y = y[..., :-1] / (y[..., -1:] + _EPSILON)
        out: Tensor = self.out(y.flatten(2).to(x.dtype))
        return out
