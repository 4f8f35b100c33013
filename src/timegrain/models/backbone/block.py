"""One residual block: norm, sequence layer, and what follows it."""

from collections.abc import Callable

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from timegrain.kernels.context import asked_backend
from timegrain.kernels.glu.glu_sum import glu_sum
from timegrain.models.backbone.frame import Frame
from timegrain.models.backbone.norms import make_norm, normalised
from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.layers.bidirectional import Bidirectional
from timegrain.models.state import State
from timegrain.models.steps import Tau

EXPANSION = 4  # hidden channels of the MLP over d_model, as in Vaswani et al. 2017, section 3.3

MANY = 1 << 16  # numbers from which on a pass over memory costs more than a call


class Block(nn.Module):
    """A sequence layer in a residual branch, with what mixes channels after it.

    Args:
        mixer: The layer that mixes in time.
        dropout: Share of numbers dropped at the end of each branch.
        norm: `"layer"`, `"batch"` or `"rms"`.
        norm_position: `"pre"`: each branch begins with its norm; `"post"`: the sum with what the
            branch adds is normalised.
        mix: What follows the layer, below.

    Math:
        With `norm_position="pre"` and N the norm:
        `"glu"`: `h + dropout(GLU(W gelu(mixer(N(h)))))`;
        `"none"`: `h + dropout(mixer(N(h)))`;
        `"mlp"`: `g = h + dropout(mixer(N(h)))`, then `g + dropout(W2 gelu(W1 N'(g)))` with
        4 d_model hidden channels.
        With `"post"` every `h + f(N(h))` is `N(h + f(h))`.

    Source:
        Dauphin et al., Language Modeling with Gated Convolutional Networks (ICML 2017) for the
        GLU; Vaswani et al., Attention Is All You Need (2017), section 3 for post-norm blocks with
        an MLP; Xiong et al., On Layer Normalization in the Transformer Architecture (ICML 2020)
        for pre-norm.
    """

    def __init__(
        self,
        mixer: SequenceLayer,
        *,
        dropout: float = 0.0,
        norm: str = "layer",
        norm_position: str = "pre",
        mix: str = "glu",
    ) -> None:
        super().__init__()
        width = mixer.d_model
        self.pre = norm_position == "pre"
        self.norm = make_norm(norm, width)
        self.mixer = mixer
        self.gate = nn.Linear(width, 2 * width) if mix == "glu" else None
        self.mlp: nn.Sequential | None = None
        if mix == "mlp":
            self.norm_mlp = make_norm(norm, width)
            self.mlp = nn.Sequential(
                nn.Linear(width, EXPANSION * width), nn.GELU(), nn.Linear(EXPANSION * width, width)
            )
        self.dropout = nn.Dropout(dropout)

    @classmethod
    def of(cls, make_layer: Callable[[], SequenceLayer], frame: Frame) -> "Block":
        """Return a new block of a network.

        Args:
            make_layer: Returns a new layer; called twice for a bidirectional network.
            frame: What the network is apart from its layers.
        """
        mixer = make_layer()
        return cls(
            Bidirectional(mixer, make_layer()) if frame.bidirectional else mixer,
            dropout=frame.dropout,
            norm=frame.norm,
            norm_position=frame.norm_position,
            mix=frame.mix,
        )

    def forward(
        self, h: Sequences, tau: Tau = 1.0, *, lengths: Int[Tensor, " batch"] | None = None
    ) -> Sequences:
        """Return the block's output at every sample; arguments as in `SequenceLayer.forward`."""
        # The layer is called, not its scan(), so that hooks on it fire.
        mixed = self.mixer(self._begin(self.norm, h, lengths), tau, lengths=lengths)
        return self._finish(h, mixed, lengths)

    def scan(
        self,
        h: Sequences,
        state: State | None = None,
        *,
        tau: Tau = 1.0,
        lengths: Int[Tensor, " batch"] | None = None,
    ) -> tuple[Sequences, State]:
        """Return the block's output and its layer's state; arguments as in `SequenceLayer.scan`."""
        begun = self._begin(self.norm, h, lengths)
        mixed, after = self.mixer.scan(begun, state, tau=tau, lengths=lengths)
        return self._finish(h, mixed, lengths), after

    def step(
        self, h_t: Float[Tensor, "batch channel"], state: State | None = None, *, tau: Tau = 1.0
    ) -> tuple[Float[Tensor, "batch channel"], State]:
        """Return the output of one sample and the layer's state, as in `SequenceLayer.step`."""
        h = h_t[:, None]
        mixed, after = self.mixer.step(self._begin(self.norm, h, None)[:, 0], state, tau=tau)
        return self._finish(h, mixed[:, None], None)[:, 0], after

    def _begin(self, norm: nn.Module, h: Sequences, lengths: Tensor | None) -> Sequences:
        return normalised(norm, h, lengths) if self.pre else h

    def _end(self, norm: nn.Module, h: Sequences, lengths: Tensor | None) -> Sequences:
        return h if self.pre else normalised(norm, h, lengths)

    def _finish(self, h: Sequences, mixed: Sequences, lengths: Tensor | None) -> Sequences:
        h = self._end(self.norm, self._sum(h, mixed), lengths)
        if self.mlp is None:
            return h
        begun = self._begin(self.norm_mlp, h, lengths)
        return self._end(self.norm_mlp, h + self.dropout(self.mlp(begun)), lengths)

    def _sum(self, h: Sequences, mixed: Sequences) -> Sequences:
        if self.gate is None:
            return h + self.dropout(mixed)
        z = self.gate(F.gelu(mixed))
        drops = self.training and self.dropout.p > 0
        few = h.numel() < MANY and asked_backend() == "auto"
        if drops or few or z.dtype != h.dtype:
            return h + self.dropout(F.glu(z, dim=-1))
        return glu_sum(h, z)
