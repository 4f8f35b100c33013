"""What several processes add to a training."""

from dataclasses import dataclass

from timegrain.training.batch_norms import batch_norms
from timegrain.training.distributed.agreement import check_agreement, share_weights
from timegrain.training.distributed.gradient import SharedGradient
from timegrain.training.distributed.team import Team
from timegrain.training.plan.walk import Step
from timegrain.training.run import EpochRow
from timegrain.training.trainer.fingerprint import fingerprint, weights_digest
from timegrain.training.trainer.gradient import GradientRule
from timegrain.training.trainer.material import Material
from timegrain.training.trainer.state import TrainingState

_ONE_PROGRAM = "the same program with the same seeds in all, as torchrun starts it"
_ONE_FOLDER = "snapshots in a directory that all processes see"
_DRIFT = "as many threads (OMP_NUM_THREADS) and the same versions in all processes"


@dataclass(frozen=True, kw_only=True, eq=False)
class Together:
    """Processes at the same training: the same weights, each with its share of every batch.

    All walk through the same batches at the same phases, and each scores its share of the test part
    after an epoch; the first alone tells of it and writes.

    Args:
        team: The processes.
        material: What each works with.
    """

    team: Team
    material: Material

    @classmethod
    def join(cls, material: Material) -> "Together | None":
        """Meet the processes that `torchrun` started; None where this one is alone.

        Args:
            material: The same in each, but for weights, which become those of the first.

        Raises:
            ConfigError: If it is not the same.
            TeamError: If another process does not answer.
        """
        team = Team.of_environment()
        if team is None:
            return None
        check_agreement(team, fingerprint(material), hint=_ONE_PROGRAM)
        share_weights(team, material.model)
        return cls(team=team, material=material)

    @property
    def leads(self) -> bool:
        """Whether this process tells and writes."""
        return self.team.leads

    @property
    def note(self) -> str:
        """What a reader of the record has to know."""
        norms = (
            " Batch norms saw a share at a time, and keep the statistics of the first process."
            if batch_norms(self.material.model)
            else ""
        )
        return f"Trained by {self.team.size} processes, each with its share of every batch.{norms}"

    def rule(self, rule: GradientRule, state: TrainingState) -> SharedGradient:
        """Return a rule in which each process does its share by another one.

        Args:
            rule: For a share.
            state: Where the training is.
        """
        return SharedGradient(
            self.material.model,
            rule,
            self.team,
            seed=self.material.settings.seed,
            number=lambda: state.walk.number,
        )

    def begin(self, state: TrainingState) -> None:
        """Check that all begin, or go on, at the same point.

        Args:
            state: Where the training is.

        Raises:
            ConfigError: If they do not.
        """
        self._check(state, _ONE_FOLDER)

    def watcher(self, state: TrainingState) -> "Watch":
        """Return what looks after each epoch whether the processes still agree.

        Args:
            state: Where the training is.
        """
        return Watch(self, state)

    def _check(self, state: TrainingState, hint: str) -> None:
        items = {
            "the step that they are at": (state.steps, state.skipped),
            "their weights": weights_digest(self.material.model),
        }
        check_agreement(self.team, items, hint=hint)


class Watch:
    """Looks after each epoch whether the processes still agree.

    Args:
        together: The processes.
        state: Where the training is.
    """

    def __init__(self, together: Together, state: TrainingState) -> None:
        self.together, self.state = together, state

    def after_step(self, step: Step, loss: float) -> None:
        """Do nothing: the gradients of a step are one sum."""

    def after_epoch(self, row: EpochRow) -> None:
        """Check.

        Raises:
            ConfigError: If they do not agree.
        """
        self.together._check(self.state, _DRIFT)
