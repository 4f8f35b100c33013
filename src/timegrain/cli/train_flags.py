"""Flags of a training, in groups: the network, the stages, and how it is trained."""

import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter
from cyclopts.validators import Number

if TYPE_CHECKING:
    from timegrain.cli.compiling import CompileClock
    from timegrain.continuity.retention.result import RetentionRow
    from timegrain.data.task import Task
    from timegrain.study.job import TrainingJob
    from timegrain.training import PlanAdvice, StageRow

EPOCHS = 15
SHARE = 0.2  # held out; that of the training, whose module loads numpy
KEEP = 0.8  # of the skill, likewise


@Parameter(name="*", group=Group("The network", sort_key=1))
@dataclass(frozen=True, kw_only=True)
class NetworkFlags:
    """What a network is built from; None where nothing was said. Field names are the flags."""

    d_model: Annotated[
        int | None, Parameter(help="Width of the network.", show_default=lambda _: 64)
    ] = None
    layers: Annotated[int | None, Parameter(help="Residual blocks.", show_default=lambda _: 2)] = (
        None
    )
    head: Annotated[
        Literal["mean", "last", "step"] | None,
        Parameter(
            help="How time is pooled; step answers at every sample, where a task asks that.",
            show_default=lambda _: "mean",
        ),
    ] = None
    options: Annotated[
        str | None,
        Parameter(
            help="Options of the layer, and of its network: norm, norm_position, mix, "
            "bidirectional, dropout, final_norm; as name=value,name=value."
        ),
    ] = None

    def job(self) -> dict[str, Any]:
        """Return these words as keyword arguments of `TrainingJob`.

        Raises:
            ConfigError: If one is outside its domain.
        """
        from timegrain.cli import options as words

        given: dict[str, Any] = {"options": words.assignments(self.options, "--options")}
        if self.d_model is not None:
            given["d_model"] = words.at_least_one(self.d_model, "--d-model")
        if self.layers is not None:
            given["n_layers"] = words.at_least_one(self.layers, "--layers")
        if self.head is not None:
            given["head"] = self.head
        return given

    def check_unsaid(self) -> None:
        """Check that nothing is said of a network that is stored already.

        Raises:
            ConfigError: If something is.
        """
        from timegrain.core.errors import ConfigError

        said = [f"--{n.replace('_', '-')} {v}" for n, v in vars(self).items() if v is not None]
        if said:
            raise ConfigError("--init brings its own network", got=f"{', '.join(said)} beside it")


@Parameter(name="*", group=Group("The stages", sort_key=2))
@dataclass(frozen=True, kw_only=True)
class StageFlags:
    """At which strides a network is trained, and for how long. Field names are the flags."""

    epochs: Annotated[
        int | None,
        Parameter(help="Epochs at full resolution, or shared out by --plan; 15 if not said."),
    ] = None
    stages: Annotated[
        str | None,
        Parameter(help="In the place of --epochs: stride:epochs in order, such as 8:40,4:20,1:5."),
    ] = None
    plan: Annotated[
        str | None,
        Parameter(
            help="auto, from what the label keeps; none; or stride:epochs, warned of where the "
            "label falls."
        ),
    ] = None
    keep: Annotated[
        float,
        Parameter(help="Share of the label's skill that is enough for a stage of --plan."),
    ] = KEEP

    compare: Annotated[
        Literal["full"] | None,
        Parameter(help="full: train as many epochs on all samples too, and say what was saved."),
    ] = None

    def beside(self, jobs: "list[TrainingJob]") -> "list[TrainingJob]":
        """Return the jobs, with `--compare full` each in stages followed by one on all samples.

        Args:
            jobs: What is trained, with the stages of its plan.
        """
        from timegrain.training import StageRow

        made = []
        for job in jobs:
            made.append(job)
            full = (StageRow(stride=1, epochs=sum(row.epochs for row in job.stages)),)
            if self.compare is not None and job.stages != full:
                made.append(replace(job, plan=None, stages=full))
        return made

    def rows(self) -> tuple["StageRow", ...]:
        """Return the stages that were said; with `--plan auto`, all epochs at full resolution.

        Raises:
            ConfigError: If flags contradict one another, or one cannot be read.
        """
        from timegrain.cli import options as words
        from timegrain.training import SubsamplingPlan, parse_stages

        self._check_keep()
        if self.stages is not None:
            self._check_stages_alone()
            return parse_stages(self.stages)
        self._check_compared()
        total = None if self.epochs is None else words.at_least_one(self.epochs, "--epochs")
        if self.plan in (None, "auto", "none"):
            return parse_stages(f"1:{EPOCHS if total is None else total}")
        rows = parse_stages(str(self.plan))
        return rows if total is None else SubsamplingPlan.parse(str(self.plan)).epochs(total)

    def _check_keep(self) -> None:
        from timegrain.core.errors import ConfigError

        if not 0 < self.keep <= 1:
            raise ConfigError(
                "--keep is a share", got=f"--keep {self.keep:g}", expected="above 0, at most 1"
            )
        if self.keep != KEEP and self.plan in (None, "none"):
            raise ConfigError(
                "--keep is the share of skill that a stage of --plan keeps",
                got=f"--keep {self.keep:g} alone",
                hint="--plan auto with it",
            )

    def _check_compared(self) -> None:
        from timegrain.core.errors import ConfigError

        if self.compare is not None and self.plan in (None, "none"):
            raise ConfigError(
                "there are no stages to compare",
                got=f"--compare {self.compare}",
                hint="--plan auto with it",
            )

    def _check_stages_alone(self) -> None:
        from timegrain.core.errors import ConfigError

        if self.plan is not None:
            raise ConfigError(
                "--stages are a plan themselves", got=f"--plan {self.plan} beside them"
            )
        if self.epochs is not None:
            raise ConfigError(
                "--stages say how many epochs there are", got=f"--epochs {self.epochs} beside them"
            )

    def asked(self) -> dict[str, object]:
        """Return what is said of the stages, in a form that tells one command from another."""
        plan = self.stages or self.plan or "none"
        epochs = sum(row.epochs for row in self.rows())
        kept = None if self.plan in (None, "none") else self.keep
        return {"plan": plan, "epochs": epochs, "keep": kept, "compare": self.compare}

    def measured_with(self, task: "Task", seed: int) -> dict[str, object]:
        """Return what a plan is measured with."""
        made = {"data_options": dict(task.dataset.options)} if task.dataset.options else {}
        return {"task": task.name, "plan": self.plan, "keep": self.keep, "seed": seed, **made}

    def advice(
        self,
        task: "Task",
        seed: int,
        *,
        compiling: "CompileClock",
        kept: Path | None = None,
        in_parts: bool = False,
    ) -> "PlanAdvice | None":
        """Return what the label says of `--plan`, printed on stderr; None where it says nothing.

        Args:
            task: The task.
            seed: Of every draw.
            compiling: Of the kernels that are compiled meanwhile, whose seconds are told apart.
            kept: Folder of the snapshots to go on from, where it may lie measured.
            in_parts: Whether the training reads its samples a part at a time.

        Raises:
            ConfigError: If what goes on was begun with another plan.
        """
        from timegrain.cli.wording import wrapped
        from timegrain.study import kept_plan
        from timegrain.training.plan.summary import headline

        if self.plan in (None, "none"):
            return None
        before = None if kept is None else kept_plan(kept, self.measured_with(task, seed))
        if before is not None:
            said = f"plan: {headline(before)} (measured before the interrupt)"
            print(wrapped(said), file=sys.stderr)
            return before
        print("plan: measuring what the label keeps at every stride", file=sys.stderr)
        if in_parts:
            text = "plan: that reads every sample of the training part, whatever --tbptt says"
            print(text, file=sys.stderr)
        return self._measured(task, seed, compiling)

    def _measured(self, task: "Task", seed: int, compiling: "CompileClock") -> "PlanAdvice | None":
        """Return the plan that the label allows, or that was asked for."""
        from timegrain.cli.compiling import work_text
        from timegrain.cli.wording import for_terminal, wrapped
        from timegrain.core.errors import DataError
        from timegrain.training import subsampling_plan
        from timegrain.training.plan.summary import headline

        force = None if self.plan == "auto" else self.plan
        started, before_compiling = compiling.work(), compiling()
        try:
            advice = subsampling_plan(
                task,
                force=force,
                keep=self.keep,
                epochs=sum(row.epochs for row in self.rows()),
                seed=seed,
                on_stride=_say_kept,
            )
        except DataError as error:
            if force is None:
                raise
            text = f"plan: as asked for; what the label keeps is unknown: {error}"
            print(for_terminal(text), file=sys.stderr)
            return None
        seconds = compiling.work() - started
        took = work_text(seconds, compiling() - before_compiling)
        print(wrapped(f"plan: {headline(advice)} (measured in {took})"), file=sys.stderr)
        for text in advice.warnings:
            print(wrapped(f"warning: {text}"), file=sys.stderr)
        made = advice.provenance
        parameters = {**made.parameters, "seconds": seconds}
        return replace(advice, provenance=replace(made, parameters=parameters))


def _say_kept(row: "RetentionRow") -> None:
    from timegrain.cli.wording import wrapped
    from timegrain.training.plan.summary import kept_text

    if row.stride > 1:
        text = f"  stride {row.stride} keeps {kept_text(row)} of the skill"
        print(wrapped(text), file=sys.stderr)


@Parameter(name="*", group=Group("The training", sort_key=3))
@dataclass(frozen=True, kw_only=True)
class TrainingFlags:
    """How a network is trained, whatever it is. Field names are the flags."""

    batch_size: Annotated[int, Parameter(help="Sequences a step.")] = 16
    lr: Annotated[
        str,
        Parameter(
            help="Peak learning rate of all but the dynamics; auto tries 0.001 to 0.03 in short "
            "trainings on the training part, and a comma list those in it."
        ),
    ] = "0.01"
    amp: Annotated[
        Literal["bfloat16", "float16"] | None,
        Parameter(help="Mixed precision: matrix products in 16 bits; float16 on CUDA alone."),
    ] = None
    tbptt: Annotated[
        int | None,
        Parameter(
            help="For windows that do not fit into memory: back-propagate through so many samples "
            "at a time, and leave the data of .npy and uncompressed .npz files where they are."
        ),
    ] = None
    accumulate: Annotated[int, Parameter(help="Batches of --batch-size that go into one step.")] = 1
    patience: Annotated[
        int | None,
        Parameter(
            help="End a stage after so many epochs without a better score on a held-out share of "
            "the training part, and keep the best weights."
        ),
    ] = None
    validation: Annotated[float, Parameter(help="That share, for --patience.")] = SHARE
    deterministic: Annotated[
        bool, Parameter(negative="", help="Use operations alone that give the same bits again.")
    ] = False
    tensorboard: Annotated[
        Path | None,
        Parameter(help="Write loss and scores for TensorBoard (extra tensorboard) here."),
    ] = None
    snapshot_every: Annotated[
        float,
        Parameter(
            help="Seconds between snapshots in --output, beside those after epochs of a second or "
            "more.",
            validator=Number(gte=0),
        ),
    ] = 30.0

    def job(self) -> dict[str, Any]:
        """Return these words as keyword arguments of `TrainingJob`.

        Those under `"training"` go to `train` as they are.

        Raises:
            ConfigError: If one is outside its domain.
        """
        from timegrain.cli import options as words
        from timegrain.core.errors import ConfigError

        if not 0 <= self.snapshot_every < math.inf:
            raise ConfigError(
                "snapshots cannot be written so often",
                got=f"--snapshot-every {self.snapshot_every:g}",
                expected="seconds, 0 or more",
            )
        return {
            "batch_size": words.at_least_one(self.batch_size, "--batch-size"),
            "lr": self._rate(),
            "tensorboard": self.tensorboard,
            "training": {
                "snapshot_every": self.snapshot_every,
                "tbptt": None if self.tbptt is None else words.at_least_one(self.tbptt, "--tbptt"),
                "amp": self.amp or False,
                "accumulate": words.at_least_one(self.accumulate, "--accumulate"),
                "patience": self._patience(),
                "validation": self.validation,
                "deterministic": self.deterministic,
            },
        }

    def _rate(self) -> float | str | tuple[float, ...]:
        from timegrain.core.errors import ConfigError

        if self.lr == "auto":
            return self.lr
        try:
            given = tuple(float(word) for word in self.lr.split(","))
        except ValueError as error:
            raise ConfigError(
                "--lr is a learning rate",
                got=f"--lr {self.lr}",
                expected="a number such as 0.01, a comma list of them to search, or auto",
            ) from error
        return given[0] if len(given) == 1 else given

    def _patience(self) -> int | None:
        from timegrain.cli import options as words
        from timegrain.core.errors import ConfigError
        from timegrain.training.held_out import check_share

        check_share("validation", self.validation)
        if self.patience is None and self.validation != SHARE:
            raise ConfigError(
                "--validation is the share that --patience holds out",
                got=f"--validation {self.validation} alone",
            )
        return None if self.patience is None else words.at_least_one(self.patience, "--patience")


NETWORK = NetworkFlags()
STAGES = StageFlags()
TRAINING = TrainingFlags()
