"""One training from its first step, or the one it is resumed at, to its record."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import torch

from timegrain.core.errors import ConfigError
from timegrain.models.options import flag, shown
from timegrain.training.distributed.environment import leads
from timegrain.training.distributed.together import Together
from timegrain.training.run import TrainingRun
from timegrain.training.score import Score
from timegrain.training.trainer.alone import sole_use
from timegrain.training.trainer.determinism import deterministic_operations
from timegrain.training.trainer.engine import OnEpoch, Trainer, Watcher, draw_seed
from timegrain.training.trainer.interruption import Interruption
from timegrain.training.trainer.keeper import Keeper, check_every
from timegrain.training.trainer.logging import Log, Logged
from timegrain.training.trainer.material import Material
from timegrain.training.trainer.numbers import plain_number
from timegrain.training.trainer.record import record
from timegrain.training.trainer.rules import gradient_rule, option_notes
from timegrain.training.trainer.state import TrainingState
from timegrain.training.trainer.stopping import EarlyStopping
from timegrain.training.trainer.warming import warm_stages, warming


@dataclass(frozen=True, kw_only=True)
class Keeping:
    """What is kept of a training while it goes on; see `train`.

    Args:
        directory: Of the snapshots; None keeps none.
        resume: Whether to go on from those that are there.
        every: Seconds between them.

    Raises:
        ConfigError: If the directory is none, or a word is outside its domain.
    """

    directory: str | Path | None
    resume: bool
    every: float

    def __post_init__(self) -> None:
        flag("resume", self.resume)
        object.__setattr__(self, "every", plain_number(self.every))
        check_every(self.every)
        place = self.directory
        if not (place is None or (isinstance(place, str | Path) and str(place))):
            raise ConfigError(
                "snapshots are kept in a directory",
                got=f"snapshots={shown(place)}",
                expected="its path, or None",
            )

    def alone(self) -> AbstractContextManager[None]:
        """Keep other trainings out of the directory, where there is one and this process writes.

        Raises:
            ResultError: If another is in it, or it cannot be written.
        """
        if self.directory is None or not leads():
            return nullcontext()
        return sole_use(Path(self.directory))


class Session:
    """A training with all that looks on.

    Args:
        material: What it works with.
        optimiser: What moves the weights.
        keeping: What is kept of it.
        log: What is told its numbers.

    Raises:
        ConfigError: If processes or snapshots do not fit the training.
        ResultError: If there are snapshots to resume from and none is whole.
    """

    def __init__(
        self,
        material: Material,
        optimiser: torch.optim.Optimizer,
        *,
        keeping: Keeping,
        log: Log | None,
    ) -> None:
        self.material, settings = material, material.settings
        self.together = Together.join(material)
        self.leads = self.together is None or self.together.leads
        state = TrainingState(model=material.model, optimiser=optimiser, walk=material.walk())
        rule = self._rule = gradient_rule(material, state)
        patience = settings.patience
        self.stopping = None if patience is None else EarlyStopping.of(state, patience)
        self.keeper = Keeper.of(
            material,
            state,
            directory=keeping.directory,
            resume=keeping.resume,
            every=keeping.every,
        )
        watchers: list[Watcher] = []
        if log is not None and self.leads:
            watchers.append(Logged(state, log, lr=settings.lr))
        watchers += [] if self.stopping is None else [self.stopping]
        if self.together is not None:
            rule = self.together.rule(rule, state)
            watchers.append(self.together.watcher(state))
        watchers += [self.keeper] if self.keeper is not None and self.leads else []
        self.state, self.team = state, None if self.together is None else self.together.team
        # of several processes none may wait for a step that the others no longer take
        alone = self.keeper if self.together is None else None
        self.interruption = None if alone is None else Interruption(alone)
        self.trainer = Trainer(
            material,
            rule,
            state,
            watchers=watchers,
            team=self.team,
            whole=None if self.interruption is None else self.interruption.step,
        )

    def run(self, on_epoch: OnEpoch | None) -> TrainingRun:
        """Train to the end and return the record; torch's global generator is left as it was.

        Args:
            on_epoch: Called after each epoch.

        Raises:
            ModelError: If a loss or an answer is not finite.
        """
        settings = self.material.settings
        with (
            torch.random.fork_rng(devices=[]),
            deterministic_operations(settings.deterministic),
        ):
            with warming():
                self.material.warm_up()
                warm_stages(self.material, self._rule)
            torch.default_generator.manual_seed(draw_seed(settings.seed, "dropout"))
            score = self._train(on_epoch)
        self.material.model.eval()
        return record(self.material, self.state, score, notes=self._notes())

    def _train(self, on_epoch: OnEpoch | None) -> Score:
        if self.keeper is not None:
            self.keeper.restore()
        if self.together is not None:
            self.together.begin(self.state)
        with nullcontext() if self.interruption is None else self.interruption.guarded():
            score = self.trainer.run(on_epoch if self.leads else None)
        if self.stopping is not None:
            self.stopping.restore()
            score = self.material.score(team=self.team)
        return score

    def _notes(self) -> tuple[str, ...]:
        return (
            *option_notes(self.material, self.stopping),
            *(() if self.together is None else (self.together.note,)),
            *(() if self.keeper is None else self.keeper.notes),
        )
