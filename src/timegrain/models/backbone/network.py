"""The residual network around a sequence layer; one for every layer, so that layers compare."""

from collections.abc import Callable, Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from timegrain.core.errors import LayoutError, ModelError
from timegrain.models.backbone.block import Block
from timegrain.models.backbone.frame import Frame
from timegrain.models.backbone.norms import make_norm, normalised
from timegrain.models.backbone.pooling import pool
from timegrain.models.backbone.tokens import as_indices, check_tokens
from timegrain.models.layer import SequenceLayer
from timegrain.models.state import State, check_states
from timegrain.models.steps import Tau, valid_mask, where_missing

WIDE = (torch.float32, torch.float64)


class Backbone(nn.Module):
    """Encoder, residual blocks, head; `build_model` makes it from a name.

    Args:
        make_layer: Called once a block, twice where it is bidirectional; returns a new
            `SequenceLayer` of `frame.d_model`.
        frame: Everything else.
        config: The keywords of `build_model` that build this network again.

    Example:
        >>> import torch
        >>> from timegrain.models import S4D, Frame
        >>> frame = Frame(d_input=3, d_output=2, d_model=8, n_layers=2)
        >>> net = Backbone(lambda: S4D(8), frame, config={})
        >>> net(torch.randn(4, 50, 3), tau=2.0, lengths=torch.tensor([50, 50, 20, 7])).shape
        torch.Size([4, 2])
    """

    def __init__(
        self,
        make_layer: Callable[[], SequenceLayer],
        frame: Frame,
        *,
        config: dict[str, object],
    ) -> None:
        super().__init__()
        self.frame = frame
        self._config = dict(config)
        self.encoder: nn.Module
        if frame.vocab is not None:
            self.encoder = nn.Embedding(frame.vocab, frame.d_model)
        else:
            self.encoder = nn.Linear(frame.d_input or 0, frame.d_model)
        self.blocks = nn.ModuleList(Block.of(make_layer, frame) for _ in range(frame.n_layers))
        self.norm = make_norm(frame.norm, frame.d_model) if frame.final_norm else nn.Identity()
        self.head = nn.Linear(frame.d_model, frame.d_output)

    @property
    def config(self) -> dict[str, object]:
        """Keywords for `build_model(**config)`; plain JSON values."""
        return dict(self._config)

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
        """Whether every layer can go on from a state, so that `scan` and `step` can."""
        return all(mixer.steps for mixer in self.mixers)

    @property
    def pooling(self) -> str:
        """What becomes of the features before the head: `"mean"`, `"last"`, or `"step"`, none."""
        return self.frame.head

    def dynamics_parameters(self) -> Iterator[nn.Parameter]:
        """Iterate the parameters that get their own learning rate and no weight decay."""
        for mixer in self.mixers:
            yield from mixer.dynamics_parameters()

    def features(
        self, x: Tensor, tau: Tau = 1.0, *, lengths: Int[Tensor, " batch"] | None = None
    ) -> Float[Tensor, "batch time d_model"]:
        """Return what the head pools or reads.

        Args:
            x: `(batch, time, d_input)`, or `(batch, time)` tokens.
            tau: `dt / dt_trained`; a float, `(batch,)` or `(batch, time)`.
            lengths: Valid samples, `(batch,)`; features beyond them mean nothing.

        Raises:
            GridError: If `tau` is not positive and finite or does not fit.
            LayoutError: If `x` or `lengths` does not fit.
            ModelError: If `x` has another dtype than the weights.
        """
        lengths = where_missing(x, lengths)
        return self._mix(self.embed(x, lengths=lengths), tau, lengths)

    def embed(
        self, x: Tensor, *, lengths: Int[Tensor, " batch"] | None = None
    ) -> Float[Tensor, "batch time d_model"]:
        """Return what the first block is given: each sample by itself, projected or looked up.

        Args:
            x: As in `features`.
            lengths: As in `features`.

        Raises:
            LayoutError: If `x` or `lengths` does not fit.
            ModelError: If `x` has another dtype than the weights.
        """
        self._check(x)
        x = x if self.frame.vocab is None else as_indices(x)
        lengths = where_missing(x, lengths)
        if lengths is not None:
            valid = valid_mask(lengths, x.shape[0], x.shape[1], x.device)
            # Zeros, since a NaN in padding times a zero gradient is a NaN in the encoder's weights.
            x = x.masked_fill(~valid.view(*valid.shape, *[1] * (x.ndim - 2)), 0)
        if self.frame.vocab is not None:
            check_tokens(x, self.frame.vocab)
        embedded: Tensor = self.encoder(x)
        # Under autocast the sum over blocks stays as precise as the weights: what a block adds
        # would be rounded away against a large h.
        return embedded.to(self.head.weight.dtype)

    def from_embedding(
        self,
        h: Float[Tensor, "batch time d_model"],
        tau: Tau = 1.0,
        *,
        lengths: Int[Tensor, " batch"] | None = None,
    ) -> Float[Tensor, "..."]:
        """Return the output for what `embed` gave, or for some of its samples.

        Args:
            h: Embedded samples.
            tau: Their step over the step in training.
            lengths: Valid samples, `(batch,)`.
        """
        lengths = where_missing(h, lengths)
        out: Tensor = self.head(pool(self._mix(h, tau, lengths), self.pooling, lengths))
        return out

    def scan(
        self,
        x: Tensor,
        state: tuple[State, ...] | None = None,
        *,
        tau: Tau = 1.0,
        lengths: Int[Tensor, " batch"] | None = None,
    ) -> tuple[Float[Tensor, "batch time d_model"], tuple[State, ...]]:
        """Return the features of a part of each sequence, and what the next part goes on from.

        Parts one after the other, each from the state of the one before, have the features of the
        whole, and its gradients where no state is detached, except in training: the statistics of
        batch norm are those of a part, and dropout is drawn anew for each. Hooks on layers do not
        fire.

        Args:
            x: As in `features`; any stretch of each sequence.
            state: One state a block, as an earlier call returned them; None is rest.
            tau: As in `features`.
            lengths: Samples of this stretch that exist, `(batch,)`; 0 for a sequence that has
                ended, whose state stays as it is.

        Raises:
            GridError: As `features`.
            LayoutError: As `features`.
            ModelError: As `features`; also if a layer needs the whole sequence, or there is not
                one state a block.

        Example:
            >>> import torch
            >>> from timegrain.models import GRU
            >>> net = Backbone(lambda: GRU(8), Frame(d_input=3, d_output=2, d_model=8, n_layers=2),
            ...                config={})
            >>> x = torch.randn(4, 50, 3)
            >>> first, state = net.scan(x[:, :20])
            >>> rest, _ = net.scan(x[:, 20:], state)
            >>> torch.allclose(torch.cat([first, rest], 1), net.features(x), atol=1e-5)
            True
        """
        states = self._states(state)
        lengths = where_missing(x, lengths)
        h = self.embed(x, lengths=lengths)
        after = []
        for block, before in zip(self.blocks, states, strict=True):
            h, carried = block.scan(h, before, tau=tau, lengths=lengths)  # type: ignore[operator]
            after.append(carried)
        return normalised(self.norm, h, lengths), tuple(after)

    def step(
        self, x_t: Tensor, state: tuple[State, ...] | None = None, *, tau: Tau = 1.0
    ) -> tuple[Float[Tensor, "batch d_model"], tuple[State, ...]]:
        """Bring in one sample and return its features, which the head reads, and the new state.

        The same as `scan` of a stretch of one sample, by the `step` of each layer.

        Args:
            x_t: One sample of each sequence, `(batch, d_input)`, or `(batch,)` tokens.
            state: As in `scan`.
            tau: Ratio of the step that ends at this sample; a float or `(batch,)`.

        Raises:
            GridError: As `features`.
            LayoutError: If `x_t` does not fit.
            ModelError: As `scan`.

        Example:
            >>> import torch
            >>> from timegrain.models import GRU
            >>> net = Backbone(lambda: GRU(8), Frame(d_input=3, d_output=2, d_model=8, n_layers=2),
            ...                config={})
            >>> features, state = net.step(torch.randn(4, 3))
            >>> features, state = net.step(torch.randn(4, 3), state, tau=0.5)
            >>> net.head(features).shape
            torch.Size([4, 2])
        """
        states = self._states(state)
        tokens = self.frame.vocab is not None
        if not isinstance(x_t, Tensor) or x_t.ndim != (1 if tokens else 2):
            raise LayoutError(
                "the network takes one sample of each sequence",
                got=f"shape {tuple(x_t.shape)}" if isinstance(x_t, Tensor) else type(x_t).__name__,
                expected="(batch,)" if tokens else f"(batch, {self.frame.d_input})",
                hint="scan() for several samples",
            )
        h = self.embed(x_t[:, None])[:, 0]
        after = []
        for block, before in zip(self.blocks, states, strict=True):
            h, carried = block.step(h, before, tau=tau)  # type: ignore[operator]
            after.append(carried)
        return normalised(self.norm, h[:, None])[:, 0], tuple(after)

    def _states(self, state: tuple[State, ...] | None) -> tuple[State | None, ...]:
        """Return one state a block; None is rest."""
        if not self.steps:
            whole = next(type(m).__name__ for m in self.mixers if not m.steps)
            raise ModelError(f"{whole} needs whole sequences", hint="features() instead")
        return check_states(state, len(self.blocks), self.head.weight.dtype)

    def _mix(self, h: Tensor, tau: Tau, lengths: Tensor | None) -> Tensor:
        for block in self.blocks:
            h = block(h, tau, lengths=lengths)
        return normalised(self.norm, h, lengths)

    def forward(
        self, x: Tensor, tau: Tau = 1.0, *, lengths: Int[Tensor, " batch"] | None = None
    ) -> Float[Tensor, "..."]:
        """Return `(batch, d_output)`, or `(batch, time, d_output)` with `head="step"`.

        Args:
            x: As in `features`.
            tau: As in `features`.
            lengths: As in `features`; each at least 1 where the head pools.

        Raises:
            LayoutError: Also if a sequence to pool has no sample.
        """
        lengths = where_missing(x, lengths)
        features = self.features(x, tau, lengths=lengths)
        out: Tensor = self.head(pool(features, self.pooling, lengths))
        return out

    def _check(self, x: Tensor) -> None:
        tokens = self.frame.vocab is not None
        axes = "(batch, time)" if tokens else f"(batch, time, {self.frame.d_input})"
        if not isinstance(x, Tensor):
            raise LayoutError(
                "the network takes a tensor", got=type(x).__name__, expected=f"{axes}, a tensor"
            )
        if x.layout is not torch.strided or x.is_nested:
            raise LayoutError(
                "the network takes a dense tensor",
                got="a nested tensor" if x.is_nested else x.layout,
                expected=axes,
                hint="x.to_padded_tensor(0.0), and lengths=" if x.is_nested else "x.to_dense()",
            )
        width_fits = tokens or x.shape[-1] == self.frame.d_input
        if x.ndim != (2 if tokens else 3) or not width_fits or 0 in x.shape:
            raise LayoutError(
                "the network cannot take this input",
                got=f"shape {tuple(x.shape)}",
                expected=f"{axes} with no empty axis",
            )
        if not tokens and x.dtype != self.head.weight.dtype:
            raise ModelError(
                "the input and the weights differ in precision",
                got=f"{x.dtype} for a {self.head.weight.dtype} network",
                hint=self._same_precision(x),
            )

    def _same_precision(self, x: Tensor) -> str:
        weights = self.head.weight.dtype
        if weights.itemsize == 2:  # some layers have no half precision, and autocast needs no such
            return f"model.to({x.dtype})" if x.dtype in WIDE else "model.float() and x.float()"
        if x.is_floating_point() and x.dtype.itemsize == 2:
            around = f"torch.autocast({x.device.type!r}, {x.dtype}) around the call"
            return f"x.to({weights}), with {around} to compute in half precision"
        return f"x.to({weights})" + (f" or model.to({x.dtype})" if x.dtype in WIDE else "")
