"""A language model of Mamba blocks of any kind: pre-norm, RMSNorm, no channel mixing beside."""

from collections.abc import Iterator

from jaxtyping import Float, Int
from torch import Tensor, nn

from timegrain.core.errors import LayoutError
from timegrain.models.backbone.tokens import as_indices, check_tokens
from timegrain.models.huggingface.settings import NetworkSettings
from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.state import State, check_states
from timegrain.models.steps import Tau, valid_mask


class MambaBlock(nn.Module):
    """`h + mixer(norm(h))`; the sum stays as precise as the weights, under autocast too.

    Args:
        mixer: The layer.
        eps: Of the norm.
    """

    def __init__(self, mixer: SequenceLayer, *, eps: float) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(mixer.d_model, eps=eps)
        self.mixer = mixer

    def forward(
        self, h: Sequences, tau: Tau = 1.0, *, lengths: Int[Tensor, " batch"] | None = None
    ) -> Sequences:
        """Return the block's output at every sample; arguments as in `SequenceLayer.forward`."""
        out: Tensor = h + self.mixer(self.norm(h), tau, lengths=lengths)
        return out

    def scan(
        self,
        h: Sequences,
        state: State | None = None,
        *,
        tau: Tau = 1.0,
        lengths: Int[Tensor, " batch"] | None = None,
    ) -> tuple[Sequences, State]:
        """Return the output and the layer's state; arguments as in `SequenceLayer.scan`."""
        mixed, after = self.mixer.scan(self.norm(h), state, tau=tau, lengths=lengths)
        return h + mixed, after

    def step(
        self, h: Float[Tensor, "batch channel"], state: State | None = None, *, tau: Tau = 1.0
    ) -> tuple[Float[Tensor, "batch channel"], State]:
        """Return the output of one sample and the layer's state."""
        mixed, after = self.mixer.step(self.norm(h), state, tau=tau)
        return h + mixed, after


class MambaNetwork(nn.Module):
    r"""Token embedding, blocks `h + layer(RMSNorm(h))`, RMSNorm, and a head over the vocabulary.

    Args:
        settings: Sizes and options, and the kind of layer: those of a Mamba, a Mamba-2 or a Falcon
            Mamba.
        has_head: Whether there is a head; without one the output is what it would be given.

    Attributes:
        settings: As passed.
        pooling: `"step"`: one output a sample.

    Source:
        Gu, Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023, arXiv
        2312.00752), section 3.4 and figure 3.

    Example:
        >>> import torch
        >>> from timegrain.models.huggingface.mamba import MambaSettings
        >>> net = MambaNetwork(MambaSettings(vocab_size=11, hidden_size=8, num_hidden_layers=2))
        >>> tokens = torch.randint(11, (3, 20))
        >>> logits = net(tokens, tau=1.0, lengths=torch.tensor([20, 20, 5]))
        >>> logits.shape
        torch.Size([3, 20, 11])
        >>> first, state = net.step(tokens[:, 0])
        >>> torch.allclose(net.head(first), logits[:, 0], atol=1e-6)
        True
    """

    pooling = "step"

    def __init__(self, settings: NetworkSettings, *, has_head: bool = True) -> None:
        super().__init__()
        self.settings = settings
        width, eps = settings.hidden_size, settings.layer_norm_epsilon
        self.embedding = nn.Embedding(settings.vocab_size, width)
        self.blocks = nn.ModuleList(
            MambaBlock(settings.layer(), eps=eps) for _ in range(settings.num_hidden_layers)
        )
        self.norm = nn.RMSNorm(width, eps=eps)
        self.head: nn.Module = nn.Identity()
        if has_head:
            self.head = nn.Linear(width, settings.vocab_size, bias=False)
        self.tie()

    def tie(self) -> None:
        """Let the head have the very weights of the embedding, where the settings say so."""
        if isinstance(self.head, nn.Linear) and self.settings.tie_word_embeddings:
            self.head.weight = self.embedding.weight

    @property
    def mixers(self) -> tuple[SequenceLayer, ...]:
        """The sequence layers, first block first."""
        return tuple(block.mixer for block in self.blocks)  # type: ignore[misc]

    @property
    def takes_tau(self) -> bool:
        """Whether every layer can be told its step."""
        return all(mixer.takes_tau for mixer in self.mixers)

    @property
    def steps(self) -> bool:
        """Whether every layer can go on from a state."""
        return all(mixer.steps for mixer in self.mixers)

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate the parameters that get their own learning rate and no weight decay."""
        for mixer in self.mixers:
            yield from mixer.dynamics_parameters()

    def embed(
        self, x: Int[Tensor, "batch time"], *, lengths: Int[Tensor, " batch"] | None = None
    ) -> Float[Tensor, "batch time d_model"]:
        """Return what the first block is given.

        Args:
            x: Tokens.
            lengths: Tokens of each sequence that exist; the others may be any number.

        Raises:
            LayoutError: If `x` or `lengths` does not fit, or a token is outside the vocabulary.
        """
        tensor = isinstance(x, Tensor)
        if not tensor or x.ndim != 2 or 0 in x.shape:
            raise LayoutError(
                "the network cannot take this input",
                got=f"shape {tuple(x.shape)}" if tensor else type(x).__name__,
                expected="a tensor (batch, time) of tokens with no empty axis",
            )
        x = as_indices(x)
        if lengths is not None:
            x = x.masked_fill(~valid_mask(lengths, x.shape[0], x.shape[1], x.device), 0)
        check_tokens(x, self.settings.vocab_size)
        out: Tensor = self.embedding(x)
        return out

    def features(
        self,
        x: Int[Tensor, "batch time"],
        tau: Tau = 1.0,
        *,
        lengths: Int[Tensor, " batch"] | None = None,
    ) -> Float[Tensor, "batch time d_model"]:
        """Return the last hidden states, which the head reads.

        Args:
            x: Tokens.
            tau: `dt / dt_trained`; a float, `(batch,)` or `(batch, time)`; 1 for text.
            lengths: Tokens that exist, `(batch,)`; features beyond them mean nothing.

        Raises:
            GridError: If `tau` is not positive and finite or does not fit.
            LayoutError: As `embed`.
        """
        h = self.embed(x, lengths=lengths)
        for block in self.blocks:
            h = block(h, tau, lengths=lengths)
        out: Tensor = self.norm(h)
        return out

    def forward(
        self,
        x: Int[Tensor, "batch time"],
        tau: Tau = 1.0,
        *,
        lengths: Int[Tensor, " batch"] | None = None,
    ) -> Float[Tensor, "batch time vocab"]:
        """Return the scores of the next token, before any softmax; arguments as in `features`."""
        out: Tensor = self.head(self.features(x, tau, lengths=lengths))
        return out

    def scan(
        self,
        x: Int[Tensor, "batch time"],
        state: tuple[State, ...] | None = None,
        *,
        tau: Tau = 1.0,
        lengths: Int[Tensor, " batch"] | None = None,
    ) -> tuple[Float[Tensor, "batch time d_model"], tuple[State, ...]]:
        """Return the features of a part of each sequence, and what the next part goes on from.

        Args:
            x: As in `features`; any stretch of each sequence.
            state: One state a block, as an earlier call returned them; None is rest.
            tau: As in `features`.
            lengths: Tokens of this stretch that exist.

        Raises:
            GridError: As `features`.
            LayoutError: As `features`.
            ModelError: If there is not one state a block.
        """
        h, after = self.embed(x, lengths=lengths), []
        for block, before in zip(self.blocks, self._states(state), strict=True):
            h, carried = block.scan(h, before, tau=tau, lengths=lengths)  # type: ignore[operator]
            after.append(carried)
        return self.norm(h), tuple(after)

    def step(
        self,
        x_t: Int[Tensor, " batch"],
        state: tuple[State, ...] | None = None,
        *,
        tau: Tau = 1.0,
    ) -> tuple[Float[Tensor, "batch d_model"], tuple[State, ...]]:
        """Bring in one token and return its features, which the head reads, and the new state.

        Args:
            x_t: One token of each sequence.
            state: As in `scan`.
            tau: Ratio of the step that ends at this token; a float or `(batch,)`.

        Raises:
            GridError: As `features`.
            LayoutError: As `features`.
            ModelError: As `scan`.
        """
        one = x_t[..., None] if isinstance(x_t, Tensor) else x_t
        h, after = self.embed(one)[:, 0], []
        for block, before in zip(self.blocks, self._states(state), strict=True):
            h, carried = block.step(h, before, tau=tau)  # type: ignore[operator]
            after.append(carried)
        return self.norm(h), tuple(after)

    def _states(self, state: tuple[State, ...] | None) -> tuple[State | None, ...]:
        return check_states(state, len(self.blocks), self.embedding.weight.dtype)
