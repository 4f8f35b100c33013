"""Multi-head softmax attention that knows its step, as one layer."""

from functools import cached_property
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models.layer import SequenceLayer, Sequences
from timegrain.models.layers.attention import LEAST, attention
from timegrain.models.layers.positions import rotated, rotations, sinusoids
from timegrain.models.options import flag, one_of, positive_int
from timegrain.models.state_form import Form, Part
from timegrain.models.steps import Steps

POSITIONS = ("rope", "sinusoidal", "index", "none")
MOST_HEADS = 4  # where nothing is said
LISTED = 1024  # heads that a hint is looked for among


class Seen(NamedTuple):
    """What attention keeps of the samples so far; the first `n_i` entries of row i exist.

    Args:
        keys: `(batch, head, seen, width)`, turned by their positions already.
        values: Likewise.
        weights: Their `s_j`, `(batch, seen)`; 0 where there is no sample.
        clock: Position of the last sample, `(batch,)`, in float64.
    """

    keys: Tensor
    values: Tensor
    weights: Tensor
    clock: Tensor


class Transformer(SequenceLayer):
    r"""Softmax attention over the samples so far, as a quadrature of attention over time.

    One layer that mixes in time: norms, residual branch and MLP are those of the backbone around
    it, whose `mix="mlp"` and `norm_position="post"` make the block of the paper, but for a GELU in
    the place of its ReLU.

    Args:
        d_model: Channels.
        skip: Changes nothing, since attention has no skip term; every layer can be built alike.
        n_heads: Heads, a divisor of `d_model`; None for the most, up to 4, that fit.
        causal: Whether a sample sees none behind it. False: `steps` is False.
        positions: `"rope"`, rotations by time; `"sinusoidal"`, sinusoids of time added to the
            input of queries and keys; `"index"`, sinusoids of the sample's number in the place of
            time, so that `takes_tau` is False; `"none"`.

    Raises:
        ConfigError: If an option is outside its domain, or heads do not fit the width.

    Math:
        `(q, k, v)_j = (W_q (u_j + P_j), W_k (u_j + P_j), W_v u_j)` for each head of width w,
        `y_i = W_o sum_{j <= i} s_j exp(q_i . k_j / sqrt w) v_j / sum_{j <= i} s_j exp(...)`, that
        is `log s_j` is added to the logits: both sums are right-sided Riemann sums in time. `P` is
        the sinusoids of `t_j / dt_trained` (t = 0 at the first sample), or 0; with rotations
        `q_i . k_j` becomes `q_i . R(t_i - t_j) k_j`.

    Note:
        The state holds all keys and values so far: time and memory of a step grow with the samples
        seen, those of a scan with the square of the length and with the length. Sinusoids are
        added in each layer, not once to the input, so that a layer alone knows its time.

    Source:
        Vaswani et al., Attention Is All You Need (NeurIPS 2017), eq. (1), sections 3.2.2 and 3.5,
        no biases; Su et al., RoFormer (2021, arXiv 2104.09864) for rotations; sinusoids on queries
        and keys of each layer as in Carion et al., End-to-End Object Detection with Transformers
        (ECCV 2020), section A.3.

    Example:
        >>> layer = Transformer(8, n_heads=2)
        >>> y, seen = layer.scan(torch.randn(2, 30, 8), tau=0.5)
        >>> y.shape, seen.keys.shape, seen.clock.tolist()
        (torch.Size([2, 30, 8]), torch.Size([2, 2, 30, 4]), [14.5, 14.5])
    """

    def __init__(
        self,
        d_model: int,
        *,
        skip: bool = True,
        n_heads: int | None = None,
        causal: bool = True,
        positions: str = "rope",
    ) -> None:
        super().__init__(d_model)
        flag("skip", skip)
        self.causal = self.steps = flag("causal", causal)
        self.positions = one_of("positions", positions, POSITIONS)
        self.takes_tau = positions != "index"
        self.n_heads = _heads(d_model, n_heads, turned=positions == "rope")
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)
        for weight in (*self.qkv.weight.split(d_model), self.out.weight):
            nn.init.xavier_uniform_(weight)

    @property
    def order(self) -> int:
        """1: the sums are right-sided Riemann sums."""
        return 1

    @cached_property
    def _form(self) -> Form:
        heads = Part((self.n_heads, -1, self.d_model // self.n_heads))
        return Seen._make((heads, heads, Part((-1,)), Part(())))  # type: ignore[return-value]

    @property
    def _precision(self) -> torch.dtype:
        return self.qkv.weight.dtype

    def _mix(
        self, x: Sequences, state: Seen | None, steps: Steps, *, return_state: bool
    ) -> tuple[Sequences, Seen | None]:
        if not self.causal and state is not None:
            raise ModelError("attention that sees later samples cannot go on from a state")
        clock = _clock(x, state, steps)
        q, k, v = self._project(x, clock)
        weights = steps.weights(x).contiguous()
        now = Seen(k, v, weights, _last(clock, steps, len(x)))
        if state is None:
            y = self._join(attention(q, k, v, bias=self._bias(x, steps), causal=self.causal))
            return y, _packed(now) if return_state and self.causal else None
        seen = _after(state, now)
        # Padding of the past is left out; that of now comes after all that exist.
        past = torch.arange(seen.weights.shape[1], device=x.device) < state.weights.shape[1]
        bias = _log(seen.weights).masked_fill((seen.weights <= 0) & past, LEAST)
        y = self._join(attention(q, seen.keys, seen.values, bias=bias))
        return y, _packed(seen) if return_state else None

    def _advance(
        self, x_t: Float[Tensor, "batch channel"], state: Seen | None, ratio: Tensor
    ) -> tuple[Float[Tensor, "batch channel"], Seen]:
        weights = ratio.to(torch.promote_types(x_t.dtype, torch.float32)).reshape(-1, 1)
        weights = weights.expand(len(x_t), 1).contiguous()
        if state is None:
            clock = torch.zeros(len(x_t), dtype=torch.float64, device=x_t.device)
        else:
            later = state.clock + weights[:, 0].double()
            clock = torch.where((state.weights > 0).any(1), later, 0.0)
        q, k, v = self._project(x_t[:, None], clock[:, None])
        now = Seen(k, v, weights, clock)
        if state is None:
            return self._join(v)[:, 0], now
        seen = _after(state, now)
        bias = _log(seen.weights).masked_fill(seen.weights <= 0, LEAST)
        y = self._join(attention(q, seen.keys, seen.values, bias=bias))
        return y[:, 0], _packed(seen)

    def _project(self, x: Sequences, clock: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values, each `(batch, head, time, width)`."""
        if self.positions in ("sinusoidal", "index"):
            weight = self.qkv.weight
            placed = x + sinusoids(clock, self.d_model).to(x.dtype)
            qk = nn.functional.linear(placed, weight[: 2 * self.d_model])
            made = torch.cat([qk, nn.functional.linear(x, weight[2 * self.d_model :])], -1)
        else:
            made = self.qkv(x)
        q, k, v = made.unflatten(-1, (3, self.n_heads, -1)).permute(2, 0, 3, 1, 4)
        if self.positions == "rope":
            turn = rotations(clock, q.shape[-1])
            q, k = rotated(q, *turn), rotated(k, *turn)
        return q, k, v

    def _bias(self, x: Sequences, steps: Steps) -> Float[Tensor, "batch time"] | None:
        """Return `log s_j`, or None where it would be the same for all samples of a sequence."""
        padded = steps.valid is not None and not self.causal
        # A tau for each sequence comes as a view with a stride of 0 along time.
        even = not isinstance(steps.ratio, Tensor) or steps.ratio.stride(1) == 0
        if even and not padded:
            return None
        weights = steps.weights(x)
        bias = _log(weights)
        return bias.masked_fill(weights <= 0, LEAST) if padded else bias

    def _join(self, heads: Float[Tensor, "batch head time width"]) -> Sequences:
        y: Tensor = self.out(heads.transpose(1, 2).flatten(2))
        return y


def _heads(d_model: int, asked: int | None, *, turned: bool) -> int:
    """Return the number of heads."""

    def fits(count: int) -> bool:
        return d_model % count == 0 and not (turned and d_model // count % 2)

    if asked is None:
        most = next((n for n in range(MOST_HEADS, 0, -1) if fits(n)), None)
    else:
        most = asked if fits(positive_int("n_heads", asked)) else None
    if most is not None:
        return most
    near = sorted(range(1, min(d_model, LISTED) + 1), key=lambda n: abs(n - (asked or 1)))
    other = next((n for n in near if fits(n)), None)
    raise ConfigError(
        "the channels cannot be shared out to heads" + (" of even width" if turned else ""),
        got=f"d_model={d_model}" + ("" if asked is None else f", n_heads={asked}"),
        expected="pairs of channels in each head to turn by their position" if turned else None,
        hint="an even d_model, or positions='sinusoidal'" if other is None else f"n_heads={other}",
    )


def _clock(x: Sequences, state: Seen | None, steps: Steps) -> Float[Tensor, "batch time"]:
    """Return `t_j / dt_trained`, 0 at the first sample; in float64, for its sines at large t."""
    if state is None and not isinstance(steps.ratio, Tensor):
        count = torch.arange(x.shape[1], device=x.device, dtype=torch.float64)
        return (count * steps.ratio)[None]
    weights = steps.weights(x).double()
    start = -weights[:, 0]
    if state is not None:
        start = torch.where((state.weights > 0).any(1), state.clock, start)
    return start[:, None] + weights.cumsum(1)


def _last(clock: Tensor, steps: Steps, batch: int) -> Float[Tensor, " batch"]:
    """Return the position of the last sample that exists."""
    if steps.valid is None:
        return clock[:, -1].expand(batch).clone()
    at = (steps.valid.sum(1, keepdim=True) - 1).clamp(min=0)
    return clock.expand(batch, -1).gather(1, at)[:, 0]


def _after(before: Seen, now: Seen) -> Seen:
    """Return both, one behind the other."""
    return Seen(
        torch.cat([before.keys, now.keys], 2),
        torch.cat([before.values, now.values], 2),
        torch.cat([before.weights, now.weights], 1),
        now.clock,
    )


def _packed(seen: Seen) -> Seen:
    """Return the same with what exists of each row first, and no more room than the longest."""
    exists = seen.weights > 0
    if bool(exists.all()):
        return seen
    order = (~exists).to(torch.int8).argsort(dim=1, stable=True)[:, : int(exists.sum(1).max())]
    kept = exists.gather(1, order)

    def pack(heads: Tensor) -> Tensor:
        place = order[:, None, :, None].expand(-1, heads.shape[1], -1, heads.shape[3])
        return heads.gather(2, place).masked_fill(~kept[:, None, :, None], 0.0)

    weights = seen.weights.gather(1, order)
    return Seen(pack(seen.keys), pack(seen.values), weights, seen.clock)


def _log(weights: Float[Tensor, "batch time"]) -> Float[Tensor, "batch time"]:
    """Return the logarithm of weights, 0 where there is none."""
    return torch.where(weights > 0, weights, torch.ones_like(weights)).log()
