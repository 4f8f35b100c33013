"""`fine_tune`: train a stored network on, at another rate if one is said."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from timegrain.core.errors import ConfigError
from timegrain.core.table import number
from timegrain.training.checkpoint import Checkpoint
from timegrain.training.checkpoint_files import load_checkpoint, save_checkpoint
from timegrain.training.deployment.measure import score_rates
from timegrain.training.deployment.recorded import RecordedTask
from timegrain.training.deployment.result import RateTransfer
from timegrain.training.deployment.scorer import Scorer
from timegrain.training.finetune.gain import gain, gain_text
from timegrain.training.finetune.start import FineTuning, prepare_fine_tuning
from timegrain.training.objective import Objective
from timegrain.training.run import TrainingRun
from timegrain.training.score import Score, make_batch, score_of, shortfalls
from timegrain.training.units import score_units

if TYPE_CHECKING:
    from timegrain.data.task import Task
    from timegrain.models.backbone.network import Backbone

_SET_APART = ("tau", "targets")


@dataclass(frozen=True, kw_only=True, eq=False)
class FineTuned:
    """A network that was trained on.

    Args:
        start: What it was before, and on what it was trained.
        model: The network, in eval mode.
        run: The record of the training.
        before: Its score at the new rate before, told its step where it can be.
    """

    start: FineTuning
    model: "Backbone"
    run: TrainingRun
    before: Score

    @property
    def checkpoint(self) -> Checkpoint:
        """The network for raw data, scaled as before; not stored, so that no file has its hash."""
        old = self.start.checkpoint.record
        return Checkpoint(model=self.model, record=replace(old, **self._new, weights_sha256=""))

    def rates(self, strides: Sequence[int] = (1, 2, 4)) -> RateTransfer | None:
        """Return its scores at the trained rate, at the one it was trained on at, and at others.

        Args:
            strides: The others, as steps over the trained one, >= 1.

        Returns:
            None where the recordings are not at the step that tau = 1 stands for.
        """
        if not self.start.scores_rates:
            return None
        steps = sorted({*map(float, strides), self.start.ratio})
        seed = self.run.seed
        found = score_rates(self.checkpoint, self.start.recorded, strides=steps, seed=seed)
        made = found.provenance
        of_the_training = {"plan": self.run.plan, "init": self.run.provenance.parameters["init"]}
        found = replace(
            found,
            name=self.run.name,
            provenance=replace(made, parameters={**made.parameters, **of_the_training}),
        )
        if self.start.ratio == 1:  # the record of the training has said it
            return found
        text = self._at_first_step()
        return replace(found, notes=(text, *found.notes))

    def _at_first_step(self) -> str:
        """Return what became of the score at the step of the first training."""
        old, new = (
            Scorer(checkpoint, self.start.recorded)
            for checkpoint in (self.start.checkpoint, self.checkpoint)
        )
        found = gain(
            old.reference, new.reference, old.possible, units=old.units, objective=old.objective
        )
        record = self.start.checkpoint.record
        where = f"At {number(record.dt_trained)} {record.unit}, the step of its first training"
        before = score_of(
            old.reference,
            old.possible,
            one_answer=old.objective.target_kind == "class",
            units=old.units,
        )
        return gain_text(where, self.run.metric, before, new.reference_score, found)

    def save(
        self, path: str | Path, *, cases: "Mapping[str, str | int | None] | None" = None
    ) -> Path:
        """Write the network into a directory, as `save_checkpoint` does.

        Args:
            path: The directory; made if it does not exist.
            cases: How cases were cut and split, as `save_checkpoint` takes it.
        """
        old = self.start.checkpoint.record
        return save_checkpoint(
            path,
            self.model,
            unit=old.unit,
            class_names=old.class_names,
            channel_names=old.channel_names,
            inputs=old.inputs,
            targets=old.targets,
            kind=old.kind,  # type: ignore[arg-type]
            cases=cases,
            **self._new,
        )

    @property
    def _new(self) -> dict[str, Any]:
        """What the record says otherwise than before, but for the weights."""
        start, run = self.start, self.run
        return {
            "dt_trained": start.dt_trained,
            "dt_tuned": start.task.dt,
            "task": start.task.name,
            "metrics": {run.metric: run.score, "trivial": run.trivial_score},
        }


def fine_tune(
    checkpoint: "Checkpoint | str | Path",
    task: "RecordedTask | Task",
    *,
    hz: float | None = None,
    dt: float | str | None = None,
    tau: float | None = None,
    decimator: str = "fir",
    **training: Any,
) -> FineTuned:
    """Train a stored network on, at the rate of the recordings or at a slower one.

    The network is told its step: at full resolution of the task `tau = dt / dt_trained`, in a stage
    of stride k `k * tau`. What tau = 1 stands for stays. A network that cannot be told is trained
    as if tau were 1, and the new step becomes its own. Inputs and targets are scaled as in its
    training, and classes go by their names.

    Args:
        checkpoint: From `load_checkpoint`, which is left as it is, or its path.
        task: From `load_recorded`; or a `Task`, whose sequences are then the recordings.
        hz: As all that follow, see `prepare_fine_tuning`.
        dt: The step.
        tau: The step ratio.
        decimator: How samples are left out.
        **training: Further words of `train`, such as `epochs`, `plan`, `lr` and `seed`.

    Raises:
        ConfigError: If the rate cannot be, or a word is none of `train` or is set here.
        GridError: If a rate is not positive, or the steps have no unit in common.
        ModelError: If the network does not fit the task, or the training diverges.
        DataError: If the recordings cannot be brought to that rate.
    """
    stored = checkpoint if isinstance(checkpoint, Checkpoint) else load_checkpoint(checkpoint)
    start = prepare_fine_tuning(stored, task, hz=hz, dt=dt, tau=tau, decimator=decimator)
    return tune(start, **training)


def tune(start: FineTuning, **training: Any) -> FineTuned:
    """Train a network on from where `prepare_fine_tuning` left it.

    Args:
        start: The network and its task.
        **training: Further words of `train`.

    Raises:
        ConfigError: If one of them is set here.
        ModelError: If the training diverges.
    """
    from timegrain.training.loop import train

    wrong = [name for name in _SET_APART if name in training]
    if wrong:
        raise ConfigError(
            "the checkpoint says how targets are scaled and what tau = 1 stands for",
            got=f"{wrong[0]}= for the training",
        )
    old = start.checkpoint.record
    model = copy.deepcopy(start.checkpoint.model)
    judge = _Judge(start)
    # first, so that snapshots of another training are refused before anything is scored
    run = train(model, start.task, tau=start.tau, targets=old.targets, **training)
    lost = judge.lost(start.checkpoint.model)
    before = judge.score(lost)
    found = gain(
        lost, judge.lost(model), judge.possible, units=judge.units, objective=judge.objective
    )
    where = f"At {number(start.task.dt)} {start.task.unit}"
    text = gain_text(where, run.metric, before, run.score, found)
    names = ("score_before", "gain", "gain_low", "gain_high")
    parameters = {
        **run.provenance.parameters,
        "init": {
            "weights_sha256": old.weights_sha256,
            "task": old.task,
            "ratio": start.ratio,
        },
        "decimator": start.decimator,
        **dict(zip(names, (before.score, *found), strict=True)),
    }
    run = replace(
        run,
        name=f"{run.layer} on {run.task}, {start.text}, {run.plan}, seed {run.seed}",
        dt_trained=start.dt_trained,
        notes=(*start.notes, text, *run.notes),
        provenance=replace(run.provenance, parameters=parameters),
    )
    return FineTuned(start=start, model=model, run=run, before=before)


class _Judge:
    """What networks lose on the test part at the new rate."""

    def __init__(self, start: FineTuning) -> None:
        self._tau = start.tau
        self.objective = Objective.of(start.task, targets=start.checkpoint.record.targets)
        self._batch = make_batch(start.task.test, self.objective)
        self.units = score_units(start.task)
        self.possible = np.empty(0)

    def lost(self, model: "Backbone") -> np.ndarray:
        """Return what each case loses."""
        lost, self.possible = shortfalls(model, self._batch, self.objective, tau=self._tau)
        return lost

    def score(self, lost: np.ndarray) -> Score:
        """Return the score of what was lost."""
        one_answer = self.objective.target_kind == "class" and not self._batch.per_step
        return score_of(lost, self.possible, one_answer=one_answer, units=self.units)
