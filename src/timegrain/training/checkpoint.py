"""A trained network with what is needed to use it on raw data at any rate."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import GridError, ModelError
from timegrain.core.table import number, pairs
from timegrain.training.checkpoint_record import CheckpointRecord
from timegrain.training.raw import RawReader
from timegrain.training.step_ratio import tau_at
from timegrain.training.wording import count

if TYPE_CHECKING:
    from timegrain.models.backbone.network import Backbone

RAW_NOTE = (
    "predict(x) takes raw data and scales them; the network alone, .model, expects inputs "
    "standardised by record.inputs and answers in logits or scaled values"
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Checkpoint:
    """A trained network for raw data: `predict(x)` scales what it is given and names the answer.

    **The network alone, `.model`, expects scaled input**: `(x - center) / scale` with
    `record.inputs`, and answers in logits, or in values scaled by `record.targets`. Given raw data
    it answers too, and wrongly.

    Args:
        model: The network, in eval mode.
        record: What was stored beside it; see `CheckpointRecord`.
    """

    model: "Backbone"
    record: CheckpointRecord = field(repr=False)

    @property
    def dt_trained(self) -> float:
        """Step that tau = 1 stands for."""
        return self.record.dt_trained

    @property
    def unit(self) -> str:
        """Unit of `dt_trained`."""
        return self.record.unit

    def predict(
        self,
        x: Any,
        *,
        hz: float | None = None,
        dt: float | None = None,
        tau: Any = None,
        lengths: Any = None,
        batch_size: int = 64,
    ) -> np.ndarray:
        """Return the class, or the value, of each raw sequence.

        Args:
            x: `(batch, time, channel)` numbers as they were recorded, array or tensor; or a list
                of sequences `(time, channel)`, which may differ in length, or `(time,)` for one
                channel. For tokens `(batch, time)` whole numbers, or a list of `(time,)`. Missing
                samples (NaN) become the training mean, as in training.
            hz: Rate of `x` in samples per second. Of `hz`, `dt` and `tau` at most one; without
                any, `x` is taken to be at the rate of training.
            dt: Step of `x`, in `unit`.
            tau: Step ratio `dt / dt_trained` of `x`: a float, or numbers `(batch,)` or
                `(batch, time)`.
            lengths: Samples that exist in each sequence of a padded array, `(batch,)`.
            batch_size: Sequences at once.

        Returns:
            `(batch,)` names of classes, or numbers of classes where none are named; or float64
            values, `(batch,)`, `(batch, d_output)` where there are several. A network that answers
            at every sample has an axis of time after the first, in which padding means nothing.

        Raises:
            LayoutError: If the axes do not fit.
            DataError: If `x` holds no numbers or there is none.
            GridError: If more than one of `hz`, `dt` and `tau` is given, or it is not positive.

        Warns:
            UserWarning: If another rate is given to a network that cannot be told its step.
        """
        out = self._logits(x, hz, dt, tau, lengths, batch_size)
        names, targets = self.record.class_names, self.record.targets
        if self.record.is_classifier:
            return np.asarray(names)[out.argmax(-1)] if names else out.argmax(-1)
        values = out if targets is None else out * targets.scale + targets.center
        return values[..., 0] if values.shape[-1] == 1 else values

    def predict_proba(
        self,
        x: Any,
        *,
        hz: float | None = None,
        dt: float | None = None,
        tau: Any = None,
        lengths: Any = None,
        batch_size: int = 64,
    ) -> Float64[np.ndarray, "..."]:
        """Return the probability of each class, `(batch, class)`, in the order of `class_names`.

        Args:
            x: Raw data; this and all that follow as in `predict`.
            hz: Rate of `x`.
            dt: Step of `x`.
            tau: Step ratio of `x`.
            lengths: Samples that exist.
            batch_size: Sequences at once.

        Raises:
            ModelError: If the network predicts values.

        Note:
            The softmax of the logits; nothing calibrates it.
        """
        if not self.record.is_classifier:
            raise ModelError("a network that predicts values has no classes", hint="predict(x)")
        out = self._logits(x, hz, dt, tau, lengths, batch_size)
        odds = np.exp(out - out.max(-1, keepdims=True))
        return odds / odds.sum(-1, keepdims=True)

    def predict_logits(
        self,
        x: Any,
        *,
        hz: float | None = None,
        dt: float | None = None,
        tau: Any = None,
        lengths: Any = None,
        batch_size: int = 64,
    ) -> Float64[np.ndarray, "..."]:
        """Return what the network answers before a class is chosen or a value scaled back.

        Args:
            x: Raw data; this and all that follow as in `predict`.
            hz: Rate of `x`.
            dt: Step of `x`.
            tau: Step ratio of `x`.
            lengths: Samples that exist.
            batch_size: Sequences at once.

        Returns:
            `(batch, d_output)` float64.
        """
        return self._logits(x, hz, dt, tau, lengths, batch_size)

    def tau_at(self, *, hz: float | None = None, dt: float | None = None) -> float:
        """Return the tau to tell the network at another rate.

        Args:
            hz: Samples per second; needs a `unit` of time.
            dt: Step in `unit`, in the place of `hz`.

        Raises:
            GridError: If not exactly one is given, it is not positive and finite, or the
                checkpoint does not know its step in seconds.
        """
        return tau_at(self.dt_trained, self.unit, hz=hz, dt=dt)

    def __repr__(self) -> str:
        record = self.record
        title = f"checkpoint: {record.model['name']}" + (
            f" on {record.task}" if record.task else ""
        )
        size = sum(p.numel() for p in self.model.parameters())
        scores = ", ".join(f"{name} {number(value)}" for name, value in record.metrics.items())
        lines = [
            ("network", f"{record.model['name']}, {size:,} parameters"),
            ("tau = 1", f"{number(self.dt_trained)} {self.unit}{self._tuned_text()}"),
            ("input", self._input_text()),
            ("output", self._output_text()),
            ("scores", scores or "none stored"),
            ("note", RAW_NOTE),
        ]
        return pairs(lines, title=title)

    def _logits(
        self,
        x: Any,
        hz: float | None,
        dt: float | None,
        tau: Any,
        lengths: Any,
        batch_size: int,
    ) -> Float64[np.ndarray, "..."]:
        from timegrain.training.prediction import outputs

        ratio = self._ratio(hz, dt, tau)
        reader = RawReader(
            width=self._width,
            tokens=self._tokens,
            scaling=self.record.inputs,
            channel_names=self.record.channel_names,
        )
        values, counts = reader.read(x, lengths)
        return outputs(self.model, values, tau=ratio, lengths=counts, batch_size=batch_size)

    @property
    def _tokens(self) -> bool:
        return self.record.kind == "tokens" or self.record.model.get("vocab") is not None

    @property
    def _width(self) -> int:
        model = self.record.model
        width = model.get("d_input") if model.get("vocab") is None else model["vocab"]
        return cast("int", width)

    def _ratio(self, hz: float | None, dt: float | None, tau: Any) -> Any:
        if sum(value is not None for value in (hz, dt, tau)) > 1:
            raise GridError(
                "the rate was given more than once",
                got=f"hz={hz}, dt={dt}, tau={tau}",
                expected="at most one of them",
            )
        if hz is not None or dt is not None:
            return self.tau_at(hz=hz, dt=dt)
        return 1.0 if tau is None else tau

    def _tuned_text(self) -> str:
        step = self.record.dt_tuned
        return "" if step is None else f"; fine-tuned at {number(step)} {self.unit}"

    def _input_text(self) -> str:
        if self._tokens:
            return f"(batch, time) tokens of {self._width} kinds"
        names = ", ".join(self.record.channel_names)
        return f"(batch, time, {self._width})" + (f": {names}" if names else "")

    def _output_text(self) -> str:
        record = self.record
        if not record.is_classifier:
            return count(cast("int", record.model["d_output"]), "value")
        names = ", ".join(record.class_names) or "not named"
        return f"{count(cast('int', record.model['d_output']), 'class', 'classes')}: {names}"
