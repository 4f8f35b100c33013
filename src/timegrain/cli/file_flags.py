"""Flags that say how a file is read, shared by every command that reads one."""

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from cyclopts import Group, Parameter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from timegrain.data import Dataset

GROUP = Group("Reading your own file")


@Parameter(name="*", group=GROUP)
@dataclass(frozen=True, kw_only=True)
class FileFlags:
    """What a user says about a file; None where nothing was said. Field names are the flags.

    A command takes them as `files: FileFlags = UNSAID`.

    Example:
        >>> FileFlags(hz=100.0, value="a,b").options()["value"]
        ('a', 'b')
    """

    hz: Annotated[float | None, Parameter(help="Samples per second.")] = None
    dt: Annotated[
        str | None, Parameter(help="Step with its unit: 2ms, 0.5s, 1h; without one, seconds.")
    ] = None
    time: Annotated[
        str | None,
        Parameter(help="Column with times: numbers, dates, zones; --hz or --dt names their unit."),
    ] = None
    dates: Annotated[
        Literal["day-first", "month-first"] | None,
        Parameter(help="What comes first in dates such as 05/04/2024, where none of them tells."),
    ] = None
    id: Annotated[
        str | None,
        Parameter(help="Column that names a row's recording; several together, person,session."),
    ] = None
    value: Annotated[
        str | None,
        Parameter(help="Columns that are channels, a,b,c; else all with numbers and no other use."),
    ] = None
    target: Annotated[
        str | None,
        Parameter(help="Column, or array of an npz file, with the label; to forecast, a channel."),
    ] = None
    group: Annotated[
        str | None,
        Parameter(
            help="Column, or array of an npz file, that never stands on both sides of a split: a "
            "person."
        ),
    ] = None
    form: Annotated[
        Literal["long", "wide"] | None,
        Parameter(help="A row of a table is a time step (long), or a whole series (wide)."),
    ] = None
    header: Annotated[
        Literal["yes", "no"] | None, Parameter(help="Whether the first row names the columns.")
    ] = None
    delimiter: Annotated[
        str | None, Parameter(help="What stands between the cells of a csv file.")
    ] = None
    channels: Annotated[
        str | None, Parameter(help="Only these channels of a file with several rates, a,b,c.")
    ] = None
    common_hz: Annotated[
        float | None,
        Parameter(help="Bring everything to this rate in Hz: jittered times too, filtered first."),
    ] = None
    kind: Annotated[
        Literal["real", "tokens"] | None, Parameter(help="Integers are real unless you say tokens.")
    ] = None
    layout: Annotated[
        str | None, Parameter(help="Axes of an array in a file: btc, bct, bt, tc, ct or t.")
    ] = None
    key: Annotated[str | None, Parameter(help="Array of an npz file with the sequences.")] = None
    source_options: Annotated[
        str | None,
        Parameter(
            help="Options of a generated set and its sizes, length=512,n_train=500, and dials of "
            "any, window_shuffle=4; a wrong word lists those there are."
        ),
    ] = None

    def options(self) -> dict[str, Any]:
        """Return these words as keyword arguments of `load_dataset`.

        Raises:
            ConfigError: If one is outside its domain.
        """
        from timegrain.data.step import given_step

        dt, unit = given_step(self.dt, None, self.hz)
        return self._with_source_options(
            {
                "key": self.key,
                "target": self.target,
                "time": self.time,
                "dates": self.dates,
                "layout": self.layout,
                "delimiter": self.delimiter,
                "kind": self.kind,
                "dt": dt,
                "hz": None,  # dt and unit say it
                "unit": unit,
                "id": _names(self.id),
                "value": _names(self.value),
                "group": self.group,
                "form": self.form,
                "header": None if self.header is None else self.header == "yes",
                "channels": _names(self.channels),
                "common_hz": self.common_hz,
            }
        )

    def load(self, name: str, *, seed: int = 0) -> "Dataset":
        """Return the dataset of a name, a path or `module:function`, read as was said.

        Args:
            name: One of them.
            seed: Of a generated set, and of what dials draw.
        """
        from timegrain.cli.emit import prints_on_stderr
        from timegrain.data import load_dataset

        with prints_on_stderr():
            found = load_dataset(name, **self.options(), seed=seed)
        say_unused(found.notes)
        return found

    def load_rates(self, name: str, *, seed: int = 0) -> "tuple[Dataset, ...]":
        """Return what `load` does, one dataset for each rate of a file that has several.

        Args:
            name: One of them.
            seed: As for `load`.
        """
        from timegrain.cli.emit import prints_on_stderr
        from timegrain.data import load_datasets

        with prints_on_stderr():
            found = load_datasets(name, **self.options(), seed=seed)
        say_unused(note for data in found for note in data.notes)
        return found

    def _with_source_options(self, named: dict[str, Any]) -> dict[str, Any]:
        """Return the words of a file with those of what makes or changes a set.

        Raises:
            ConfigError: If one is said twice.
        """
        from timegrain.cli import options as words
        from timegrain.core.errors import ConfigError

        given = words.assignments(self.source_options, "--source-options")
        twice = [word for word in given if named.get(word) is not None]
        if twice or "seed" in given:
            word = twice[0] if twice else "seed"
            raise ConfigError(
                f"{word} is said by a flag of its own",
                got=f"{word} in --source-options",
                expected=f"--{word.replace('_', '-')}",
            )
        return {**named, **given}

    def made(self) -> dict[str, str]:
        """Return what a stored network keeps of these words beside how its cases were cut."""
        said = self.source_options
        return {} if said is None else {"source_options": said}

    def as_made(self, stored: "Mapping[str, str | int | None] | None") -> Self:
        """Return the words with those of a stored network's data, printed, where none is said.

        Args:
            stored: How its cases were cut; None where its record does not know.
        """
        said = (stored or {}).get("source_options")
        if said is None or self.source_options is not None:
            return self
        print(f"source: --source-options {said}, as in its training", file=sys.stderr)
        return replace(self, source_options=str(said))


UNSAID = FileFlags()


def say_unused(notes: "Iterable[str]") -> None:
    """Print on stderr which arrays of a file have no use.

    Args:
        notes: Those of what was read.
    """
    from timegrain.cli.wording import for_terminal
    from timegrain.data.readers.npz import UNUSED_NOTE

    for note in dict.fromkeys(notes):
        if note.startswith(UNUSED_NOTE):
            print(for_terminal(note), file=sys.stderr)


def _names(text: str | None) -> tuple[str, ...] | None:
    from timegrain.cli import options as words

    return None if text is None else tuple(words.names(text))
