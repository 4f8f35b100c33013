"""Snapshots of a training while it goes on, and the training that is resumed from one."""

import math
import time
from pathlib import Path

import torch

from timegrain.core.errors import ConfigError
from timegrain.core.provenance import Provenance
from timegrain.training.plan.walk import Step
from timegrain.training.run import EpochRow
from timegrain.training.trainer.fingerprint import differences, fingerprint, weights_digest
from timegrain.training.trainer.material import Material
from timegrain.training.trainer.network_state import check_storable
from timegrain.training.trainer.numbers import is_number
from timegrain.training.trainer.snapshots import Snapshot, Snapshots
from timegrain.training.trainer.state import TrainingState

EVERY = 30.0  # seconds
_EPOCHS_APART = 1.0  # seconds between snapshots at the ends of short epochs

FROM_THE_BEGINNING = (
    "There was no snapshot to resume from: the training started from the beginning."
)
OTHER_WEIGHTS = (
    "The network had other weights than those the training began with; it went on with those of "
    "the snapshot."
)


class Keeper:
    """Writes a snapshot when it is time, and puts a training back where the newest one was.

    Args:
        material: What the training works with, its weights as they are before it.
        state: Where the training is.
        snapshots: Where to.
        every: Seconds between snapshots; 0 writes one after each step.
    """

    def __init__(
        self, material: Material, state: TrainingState, snapshots: Snapshots, *, every: float
    ) -> None:
        self.state, self.snapshots, self.every = state, snapshots, every
        self.notes: tuple[str, ...] = ()
        self._marks = fingerprint(material)
        self._first_weights = weights_digest(material.model)
        self._found: Snapshot | None = None
        self._resumed = 0
        self._remarks: list[str] = []
        self._last = time.perf_counter()
        self._stored: tuple[int, int] | None = None

    @classmethod
    def of(
        cls,
        material: Material,
        state: TrainingState,
        *,
        directory: str | Path | None,
        resume: bool,
        every: float,
    ) -> "Keeper | None":
        """Return the keeper of a training, None where it keeps nothing.

        Args:
            material: What the training works with.
            state: Where the training is.
            directory: Of the snapshots.
            resume: Whether there may be some in it.
            every: Seconds between them.

        Raises:
            ConfigError: If the options contradict each other, or the directory holds snapshots
                that nobody asked to resume from, or that are of another training.
            ModelError: If the network has a state that cannot be stored.
            ResultError: If there are snapshots to resume from and none is whole.
        """
        check_every(every)
        if directory is None:
            if resume:
                raise ConfigError(
                    "there is nothing to resume from",
                    got="resume=True without snapshots=",
                    hint="snapshots= with the directory of the snapshots",
                )
            return None
        check_storable(material.model)
        keeper = cls(material, state, Snapshots(directory), every=every)
        if resume:
            keeper.find()
        elif keeper.snapshots.files():
            raise ConfigError(
                "the directory holds the snapshots of a training",
                got=str(directory),
                hint="resume=True to go on with it, or another directory",
            )
        return keeper

    def find(self) -> None:
        """Look for the newest whole snapshot; nothing is changed yet.

        Raises:
            ConfigError: If the snapshots are of another training.
            ResultError: If there are some and none is whole.
        """
        self._found = self.snapshots.latest()
        if self._found is None:
            self.notes = (FROM_THE_BEGINNING,)
            return
        wrong = differences(self._found.state["fingerprint"], self._marks)
        if wrong:
            raise ConfigError(
                "the snapshots are of another training",
                got=f"{self.snapshots.directory}: {wrong}",
                expected="the same network, data, plan and options",
                hint="those it was begun with, or another directory",
            )

    def restore(self) -> None:
        """Put the training where the snapshot is that was found, if one was."""
        if self._found is not None:
            self.state.load_state_dict(self._found.state["training"])
            self._take_over(self._found)
            self._found = None
            self._stored = self._position

    def after_step(self, step: Step, loss: float) -> None:
        """Write a snapshot if the last was some time ago."""
        if time.perf_counter() - self._last >= self.every:
            self._save()

    def after_epoch(self, row: EpochRow) -> None:
        """Write a snapshot, but for one a second where epochs are short."""
        apart = time.perf_counter() - self._last
        if self.state.finished or apart >= min(self.every, _EPOCHS_APART):
            self._save()

    def keep(self) -> None:
        """Write a snapshot now, if anything was done since the last.

        Raises:
            ResultError: If it cannot be written.
        """
        if self._stored != self._position:
            self._save()

    @property
    def _position(self) -> tuple[int, int]:
        return self.state.steps, len(self.state.history)

    def _save(self) -> None:
        self.snapshots.save(
            {
                "fingerprint": self._marks,
                "first_weights": self._first_weights,
                "versions": _versions(),
                "resumed": self._resumed,
                "remarks": self._remarks,
                "training": self.state.state_dict(),
            }
        )
        self._last = time.perf_counter()
        self._stored = self._position

    def _take_over(self, found: Snapshot) -> None:
        """Remember, and say, what happened to the training before."""
        stored = found.state
        remarks = [*stored["remarks"], *found.notes]
        if stored["first_weights"] != self._first_weights:
            self._first_weights = stored["first_weights"]
            remarks.append(OTHER_WEIGHTS)
        old, new = stored["versions"], _versions()
        remarks += [
            f"The training began with {name} {old.get(name)} and went on with {new[name]}, which "
            "may round otherwise."
            for name in new
            if old.get(name) != new.get(name)
        ]
        self._remarks = list(dict.fromkeys(remarks))
        self._resumed = stored["resumed"] + 1
        self.notes = (self._where(), *self._remarks)

    def _where(self) -> str:
        walk = self.state.walk
        times = "once" if self._resumed == 1 else f"{self._resumed} times, last"
        if self.state.finished and not self.state.unscored:
            return (
                f"Resumed {times} after step {walk.number} of {len(walk)}, its end: nothing was "
                "trained again."
            )
        return (
            f"Resumed {times} after step {walk.number} of {len(walk)}; the seconds are those that "
            "led to the snapshots, without what was lost between the last one and the interrupt."
        )


def check_every(every: float) -> None:
    """Check the seconds between snapshots.

    Raises:
        ConfigError: If they are no number >= 0.
    """
    if not (is_number(every) and 0 <= every < math.inf):
        raise ConfigError(
            "snapshots cannot be written so often",
            got=f"snapshot_every={every}",
            expected="seconds, 0 or more",
            hint="snapshot_every=30, or 0 for one after every step",
        )


def _versions() -> dict[str, str]:
    found = Provenance.collect()
    return {
        "timegrain": found.timegrain,
        **found.packages,
        "platform": found.platform,
        "torch threads": str(torch.get_num_threads()),
    }
