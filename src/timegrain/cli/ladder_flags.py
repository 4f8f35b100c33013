"""Flags of the commands that refine a model's time grid, declared once."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter

from timegrain.cli import options as words

if TYPE_CHECKING:
    from timegrain.continuity.locate import LocatedModel
    from timegrain.continuity.model.plan import Measurement


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class LadderFlags:
    """The grids, what is built on a name, and the norm. Field names are the flags.

    Example:
        >>> LadderFlags(options="n_pairs=16").arguments()["options"]
        {'n_pairs': 16}
    """

    dt: Annotated[float, Parameter(help="Step of the working grid (tau = 1).")] = 1.0
    length: Annotated[int, Parameter(help="Samples on the working grid.")] = 64
    levels: Annotated[int, Parameter(help="The step is halved so many times.")] = 6
    norm: Annotated[Literal["sup", "rms"], Parameter(help="Norm over time and channels.")] = "sup"
    scope: Annotated[
        Literal["layer", "network"], Parameter(help="The layer alone, or in its backbone.")
    ] = "layer"
    d_model: Annotated[int, Parameter(help="Channels of a layer built by name.")] = 64
    d_input: Annotated[int | None, Parameter(help="Input channels of your own model.")] = None
    options: Annotated[
        str | None,
        Parameter(
            help="Further options of the layer, with --scope network also of its network (mix, "
            "bidirectional, ...), as name=value,name=value."
        ),
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return these words as keyword arguments of `model_continuity` and its like.

        Raises:
            ConfigError: If the options cannot be read.
        """
        return {**asdict(self), "options": words.assignments(self.options, "--options")}


OWN = Group("Your own recording as the signal")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class InputFlags:
    """What the model is given on each grid, what it is told, and its discretization.

    Example:
        >>> InputFlags(signal="lorenz").given(levels=6, dt=1.0)
        'lorenz'
    """

    signal: Annotated[
        str | None,
        Parameter(
            help="The input: sines (the default), fourier, chebyshev, chirp, c0 to c4, steps, "
            "brownian; with --refine resimulate a system: vdp, lorenz, ou, ... (timegrain ls "
            "signals); or with --refine recorded a recording: a file, module:function or dataset."
        ),
    ] = None
    refine: Annotated[
        Literal["exact", "interpolate", "resimulate", "recorded"],
        Parameter(
            help="How the input gets its finer samples; recorded: those given are the finest, and "
            "dropped for the other grids."
        ),
    ] = "exact"
    decimator: Annotated[
        Literal["phase", "fir"],
        Parameter(
            help="With --refine recorded: drop samples, or low-pass first (noise).", group=OWN
        ),
    ] = "phase"
    hz: Annotated[float | None, Parameter(help="Samples per second of it.", group=OWN)] = None
    time: Annotated[str | None, Parameter(help="Column with its times.", group=OWN)] = None
    id: Annotated[
        str | None, Parameter(help="Column that names the recording of a row.", group=OWN)
    ] = None
    value: Annotated[str | None, Parameter(help="Columns that are channels, a,b,c.", group=OWN)] = (
        None
    )
    key: Annotated[str | None, Parameter(help="Array of an npz file.", group=OWN)] = None
    layout: Annotated[
        str | None, Parameter(help="Axes of an array: btc, bct, bt, tc, ct or t.", group=OWN)
    ] = None
    common_hz: Annotated[
        float | None, Parameter(help="Bring irregular times to this rate.", group=OWN)
    ] = None
    protocol: Annotated[
        Literal["rescale", "native"], Parameter(help="Tell the model its step, or do not.")
    ] = "rescale"
    discretization: Annotated[
        str | None,
        Parameter(help="One of those that the layer has; timegrain ls models lists them."),
    ] = None

    def given(self, *, levels: int, dt: float) -> Any:
        """Return the signal: a name, or the recording that a word stands for, read.

        Args:
            levels: Halvings of the step.
            dt: Step of a file that does not know its own, in seconds; 1 where nothing was said.

        Raises:
            TimegrainError: If a recording cannot be read, or words on it go with none.
        """
        from timegrain.cli.emit import prints_on_stderr
        from timegrain.continuity.model.recording import is_recording, recording
        from timegrain.core.errors import ConfigError
        from timegrain.data import load_dataset

        own = {
            "hz": self.hz,
            "time": self.time,
            "id": None if self.id is None else words.names(self.id),
            "value": None if self.value is None else words.names(self.value),
            "key": self.key,
            "layout": self.layout,
            "common_hz": self.common_hz,
        }
        if self.signal is None or not is_recording(self.signal):
            if said := [name for name, value in own.items() if value is not None]:
                raise ConfigError(
                    f"{said[0]} is for a recording",
                    got=f"{said[0]}={own[said[0]]!r} with signal={self.signal or 'sines'}",
                    expected="signal= a file, module:function or the name of a dataset",
                )
            return self.signal
        with prints_on_stderr():
            data = load_dataset(self.signal, dt=None if dt == 1.0 else dt, **own)
        return recording(data, levels=levels)

    def planned(
        self,
        located: Sequence["LocatedModel"],
        ladder: LadderFlags,
        *,
        amplitudes: str,
        seeds: int,
        seed: int,
        reference: str = "ladder",
    ) -> list["Measurement"]:
        """Return a measurement of each model, checked and not yet run.

        Args:
            located: The models.
            ladder: The grids.
            amplitudes: Comma list.
            seeds: Pairs of initialisation and signal.
            seed: Of every draw.
            reference: What errors are against.

        Raises:
            TimegrainError: If a word cannot be read or does not go with another.
        """
        from timegrain.continuity.model.options import ModelOptions
        from timegrain.continuity.model.plan import plan

        given = ladder.arguments()
        if self.discretization is not None:
            given["options"]["discretization"] = self.discretization
        heights = words.numbers(amplitudes, "--amplitudes")
        signal = self.given(levels=ladder.levels, dt=ladder.dt)
        return [
            plan(
                found.model,
                ModelOptions(
                    named=isinstance(found.model, str),
                    **given,
                    amplitudes=heights,
                    refine=self.refine,
                    decimator=self.decimator,
                    protocol=self.protocol,
                    seeds=seeds,
                    seed=seed,
                    reference=reference,
                ),
                signal=signal,
                name=found.word,
            )
            for found in located
        ]


LADDER = LadderFlags()
INPUT = InputFlags()
