"""Flags of the commands that refine a model's time grid, declared once."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

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


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class InputFlags:
    """What the model is given on each grid, what it is told, and its discretization."""

    signal: Annotated[
        str | None,
        Parameter(
            help="The input: sines (the default), fourier, chebyshev, chirp, c0 to c4, steps, "
            "brownian; or with --refine resimulate a system: vdp, lorenz, ou, ..."
        ),
    ] = None
    refine: Annotated[
        Literal["exact", "interpolate", "resimulate"],
        Parameter(help="How the input gets its finer samples."),
    ] = "exact"
    protocol: Annotated[
        Literal["rescale", "native"], Parameter(help="Tell the model its step, or do not.")
    ] = "rescale"
    discretization: Annotated[
        str | None,
        Parameter(help="One of those that the layer has; timegrain ls models lists them."),
    ] = None

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
        return [
            plan(
                found.model,
                ModelOptions(
                    named=isinstance(found.model, str),
                    **given,
                    amplitudes=heights,
                    refine=self.refine,
                    protocol=self.protocol,
                    seeds=seeds,
                    seed=seed,
                    reference=reference,
                ),
                signal=self.signal,
                name=found.word,
            )
            for found in located
        ]


LADDER = LadderFlags()
INPUT = InputFlags()
