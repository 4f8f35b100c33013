"""A trained network at other rates, told its step and not told."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from timegrain.core.errors import ConfigError
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.core.references import PAPER
from timegrain.core.result import Result
from timegrain.models.sources import layer_sources
from timegrain.training.remarks import TOLD_NOTE, coarse_trivial_notes, over_notes
from timegrain.training.units import ScoredOver
from timegrain.training.wording import count

if TYPE_CHECKING:
    from torch import nn

    from timegrain.data.task import Task

UNTOLD_ONLY_NOTE = "This network cannot be told its step (takes_tau is False): untold scores only."
_FEW = 8
DECIMATION_NOTE = (
    "Every k-th sample of the test part from the first on, nothing averaged; the same sequences at "
    "every stride."
)


@dataclass(frozen=True, kw_only=True)
class TransferRow:
    """One rate.

    Args:
        stride: Keep one sample in so many.
        tau_told: The step ratio the network was told.
        told: Whether that is the true one by being told; at stride 1 the two rows agree.
        score: Score of the test part.
        low: Lower end of the 95 % interval over what is independent in the test part; None with
            fewer than two such units.
        high: Upper end.
        correct: `"1"` for each test sequence answered rightly and `"0"` for each other, in order,
            so that networks can be compared case by case; None where answers are not classes.
    """

    stride: int
    tau_told: float
    told: bool
    score: float
    low: float | None
    high: float | None
    correct: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class TransferCurve(Result):
    """A network's score when it is given every k-th sample.

    Args:
        model: The network's `config`: the layer under `"name"`, and its options.
        task: Name of the task.
        seed: Seed of the training that made the network, when known.
        plan: Stages of that training, when known: `"full"` or such as `"8:4,1:2"`.
        takes_tau: Whether the network can be told its step.
        dt_trained: Step that tau = 1 stands for.
        unit: Unit of `dt_trained`.
        metric: `"accuracy"` or `"r2"`.
        trivial_score: What predicting the commonest class or the mean scores.
        n_test: Sequences scored.
        scores: One row for each stride and telling.
        over: What the intervals are over; None in files that did not say.
    """

    kind: ClassVar[str] = "transfer-curve"

    model: Mapping[str, object]
    task: str
    seed: int | None
    plan: str | None
    takes_tau: bool
    dt_trained: float
    unit: str
    metric: str
    trivial_score: float
    n_test: int
    scores: tuple[TransferRow, ...]
    over: ScoredOver | None = None

    @property
    def layer(self) -> str:
        """Name of the layer in the network."""
        return str(self.model["name"])

    def score(self, stride: int, *, told: bool) -> TransferRow | None:
        """Return the row of a stride, None if it was not measured."""
        found = [row for row in self.scores if row.stride == stride and row.told == told]
        return found[0] if found else None

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the paper and of the layer."""
        return (PAPER, *layer_sources(self.layer))

    def rows(self) -> list[dict[str, object]]:
        """Return one row for each stride and telling."""
        return [
            {
                "model": self.layer,
                "task": self.task,
                "seed": self.seed,
                "plan": self.plan,
                "metric": self.metric,
                "stride": row.stride,
                "dt": row.stride * self.dt_trained,
                "tau_told": row.tau_told,
                "told": row.told,
                "score": row.score,
                "low": row.low,
                "high": row.high,
            }
            for row in self.scores
        ]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return one line a stride."""
        lines = []
        for stride in sorted({row.stride for row in self.scores}):
            texts = [
                f"{'told' if row.told else 'not told'} {row.score:.3f}"
                + ("" if row.low is None else f" ({row.low:.3f} to {row.high:.3f})")
                for row in self.scores
                if row.stride == stride
            ]
            lines.append((f"tau = {stride}", ", ".join(texts)))
        lines.append(("metric", f"{self.metric}, trivial {self.trivial_score:.3f}"))
        tested = count(self.n_test, "test sequence")
        if self.over is None or not self.over.grouped:
            lines.append(("n", f"{tested}, 95 % intervals over them"))
        else:
            none = self.over.n_units < 2
            lines.append(("n", f"{'no ' * none}95 % intervals {self.over.describe()}"))
        return lines


def transfer(
    model: "nn.Module",
    task: "Task",
    *,
    strides: Sequence[int] = (1, 2, 4),
    told: Sequence[bool] = (True, False),
    seed: int | None = None,
    plan: str | None = None,
    chunk: int | None = None,
) -> TransferCurve:
    """Score a trained network on every k-th sample of the test part.

    Told, the network is given `tau = k`; not told, `tau = 1`: that is what happens when a network
    is deployed at another rate and nobody says so.

    Args:
        model: A trained network, as `train` takes it.
        task: The task at the rate the network was trained for.
        strides: The k, whole numbers >= 1.
        told: Which of the two to measure.
        seed: Seed of the training, for the record.
        plan: Stages of the training, for the record.
        chunk: Samples at once, as in `evaluate`, for windows that do not fit into memory.

    Raises:
        ConfigError: If there is no stride, one is below 1 or leaves too little of the sequences,
            or no telling.
        ModelError: If the network does not fit the task or answers NaN or infinity.

    Note:
        Decimation without a filter also aliases: the curve joins what the network cannot do at
        another step with what the samples no longer say.
    """
    from timegrain.training.feasible import check_coarse, check_task, class_notes, coarse_notes
    from timegrain.training.score import check_interface
    from timegrain.training.units import score_units

    check_interface(model)
    check_task(task)
    check_strides(strides)
    check_coarse(task, strides, part="test", name="strides")
    if not told:
        raise ConfigError("nothing to measure", got="told=()", expected="True, False or both")
    takes_tau = bool(model.takes_tau)
    tellings = [t for t in (True, False) if t in told and (takes_tau or not t)]
    rows = _rows(model, task, sorted(set(strides)), tellings or [False], chunk)
    over = score_units(task).over
    config = getattr(model, "config", None) or {"name": type(model).__name__}
    parts = [str(config["name"]), f"on {task.name}", plan, None if seed is None else f"seed {seed}"]
    parameters = {
        "model": config,
        "task": task.name,
        **task.dataset.versioned,
        "strides": list(strides),
    }
    return TransferCurve(
        name=", ".join([" ".join(p for p in parts[:2] if p), *(p for p in parts[2:] if p)]),
        outcome=Outcome.MEASURED,
        provenance=Provenance.collect(seed=seed, parameters=parameters),
        notes=(
            DECIMATION_NOTE,
            TOLD_NOTE,
            *(() if takes_tau else (UNTOLD_ONLY_NOTE,)),
            *class_notes(task),
            *coarse_notes(task, strides, part="test"),
            *over_notes(over),
            *coarse_trivial_notes(task.metric, rows, task.trivial_score),
        ),
        model=config,
        task=task.name,
        seed=seed,
        plan=plan,
        takes_tau=takes_tau,
        dt_trained=task.dt,
        unit=task.unit,
        metric=task.metric,
        trivial_score=task.trivial_score,
        n_test=len(task.test.x),
        scores=tuple(rows),
        over=over,
    )


def check_strides(strides: object) -> None:
    """Check that a transfer curve can be measured at these strides.

    Raises:
        ConfigError: If there is none, or one is no whole number >= 1.
    """
    found = tuple(strides) if isinstance(strides, Iterable) else ()
    whole = all(isinstance(k, int | np.integer) and not isinstance(k, bool) for k in found)
    if not found or not whole or min(found) < 1:
        raise ConfigError(
            "a transfer curve cannot be measured at these strides",
            got=f"strides={found if isinstance(strides, Iterable) else strides}",
            expected="whole numbers, 1 or more",
        )


def _rows(
    model: "nn.Module",
    task: "Task",
    strides: Sequence[int],
    tellings: Sequence[bool],
    chunk: int | None,
) -> list[TransferRow]:
    from timegrain.training.score import evaluate

    # few sequences at a time, where one is long
    at_once = 64 if chunk is None else _FEW
    rows, known = [], {}
    for stride in strides:
        for told in tellings:
            tau = float(stride) if told else 1.0
            if (stride, tau) not in known:
                known[stride, tau] = evaluate(
                    model, task, stride=stride, tau=tau, chunk=chunk, batch_size=at_once
                )
            score = known[stride, tau]
            rows.append(
                TransferRow(
                    stride=stride,
                    tau_told=tau,
                    told=told,
                    score=score.score,
                    low=score.low,
                    high=score.high,
                    correct=score.correct,
                )
            )
    return rows
