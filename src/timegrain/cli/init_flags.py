"""Flags of a training that goes on from a stored network, and of files beside them."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Group, Parameter

from timegrain.cli.case_flags import CaseFlags
from timegrain.cli.file_flags import GROUP, FileFlags

if TYPE_CHECKING:
    from timegrain.training import FineTuning


@Parameter(name="*", group=GROUP)
@dataclass(frozen=True, kw_only=True)
class TrainFileFlags(FileFlags):
    """The flags of a file, where with `--init` `--hz` and `--dt` name the rate to train at."""

    hz: Annotated[
        float | None, Parameter(help="Samples per second; with --init, those to train at.")
    ] = None
    dt: Annotated[
        str | None,
        Parameter(help="Step with its unit: 2ms, 0.5s, 1h; with --init, that to train at."),
    ] = None
    file_hz: Annotated[
        float | None, Parameter(help="Samples per second of the file, beside --init.")
    ] = None
    file_dt: Annotated[
        str | None, Parameter(help="Step of the file with its unit, beside --init.")
    ] = None

    def of_the_file(self, *, tuning: bool) -> FileFlags:
        """Return the flags with the rate of the file in `hz` and `dt`.

        Args:
            tuning: Whether `--init` is said.

        Raises:
            ConfigError: If the rate of the file is said twice.
        """
        from timegrain.core.errors import ConfigError

        if tuning:
            return replace(self, hz=self.file_hz, dt=self.file_dt)
        if (self.file_hz, self.file_dt) == (None, None):
            return self
        if (self.hz, self.dt) != (None, None):
            raise ConfigError(
                "without --init --hz and --dt are of the file, as --file-hz and --file-dt are",
                got="both",
            )
        return replace(self, hz=self.file_hz, dt=self.file_dt)


@Parameter(name="*", group=Group("Going on from a stored network", sort_key=4))
@dataclass(frozen=True, kw_only=True)
class InitFlags:
    """From which network a training goes on, and at which rate. Field names are the flags."""

    init: Annotated[
        Path | None,
        Parameter(
            help="In the place of MODELS: directory of a stored network, trained on at its own "
            "rate or at --hz, --dt or --tau."
        ),
    ] = None
    tau: Annotated[
        float | None, Parameter(help="The rate to train at, as its step over the trained one.")
    ] = None
    thin: Annotated[
        bool,
        Parameter(negative="", help="Leave samples out as they are, without the filter."),
    ] = False

    def check(self) -> None:
        """Check that nothing is said of a network that is not there.

        Raises:
            ConfigError: If it is.
        """
        from timegrain.core.errors import ConfigError

        if self.init is None and (self.tau is not None or self.thin):
            raise ConfigError(
                "--tau and --thin are of a training that goes on from a stored network",
                got=f"--tau {self.tau:g}" if self.tau is not None else "--thin",
                hint="--init with its directory, as train --output names it",
            )

    def title(self, start: "FineTuning | None", what: str) -> str:
        """Return what a page on the training is headed with.

        Args:
            start: The stored network; None where there is none.
            what: The networks and the task.
        """
        if start is None or self.init is None:
            return what
        return f"{what}, fine-tuned from {self.init.resolve().name} at tau {start.ratio:g}"

    def start(
        self, task: str, files: TrainFileFlags, cases: CaseFlags, *, seed: int
    ) -> tuple["FineTuning", CaseFlags, TrainFileFlags]:
        """Return the stored network with its task, and how its cases were cut and its data made.

        Args:
            task: A name or a path.
            files: How it is read.
            cases: How they are to be cut; as for its training, where nothing is said.
            seed: Of the split.
        """
        from timegrain.cli.emit import prints_on_stderr
        from timegrain.cli.file_rate import file_rate_words
        from timegrain.training import load_checkpoint, load_recorded, prepare_fine_tuning

        stored = load_checkpoint(self.init or "")
        cases = cases.as_stored(stored.record.cases)
        files = files.as_made(stored.record.cases)
        with file_rate_words(), prints_on_stderr():
            options = files.of_the_file(tuning=True).options()
            recorded = load_recorded(task, seed=seed, **cases.options(), **options)
        made = prepare_fine_tuning(
            stored,
            recorded,
            hz=files.hz,
            dt=files.dt,
            tau=self.tau,
            decimator="phase" if self.thin else "fir",
        )
        return made, cases, files


SAID_BY_FILE = TrainFileFlags()
FROM_NOTHING = InitFlags()
