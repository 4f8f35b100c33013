"""`load_dataset`: sequences by the name of a shipped set, a function or a file."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from timegrain.core.errors import ConfigError, DataError
from timegrain.core.users_code import users_code
from timegrain.data.arrays import is_sequence_list, real_array
from timegrain.data.catalogue import card
from timegrain.data.dataset import Dataset
from timegrain.data.generated.dataset import generated_dataset
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.lazy import lazy_dataset
from timegrain.data.generated.request import Request, request
from timegrain.data.layout import as_floats, to_sequences, to_tokens
from timegrain.data.readers.files import has_rates, read_file
from timegrain.data.readers.options import FileOptions, several
from timegrain.data.resolve import Target, import_function, import_source, resolve
from timegrain.data.step import given_step, with_step
from timegrain.data.uniform import uniform
from timegrain.data.units import plural

Kind = Literal["real", "tokens"]


def load_dataset(
    name_or_path: str | os.PathLike[str] | Generator,
    *,
    key: str | None = None,
    target: str | None = None,
    time: str | None = None,
    dates: Literal["day-first", "month-first"] | None = None,
    layout: str | None = None,
    delimiter: str | None = None,
    kind: Kind | None = None,
    dt: float | str | None = None,
    hz: float | None = None,
    unit: str | None = None,
    id: str | Sequence[str] | None = None,
    value: Sequence[str] | None = None,
    group: str | None = None,
    form: Literal["long", "wide"] | None = None,
    header: bool | None = None,
    channels: Sequence[str] | None = None,
    common_hz: float | None = None,
    **options: Any,
) -> Dataset:
    """Return a dataset by name, from a function of yours, or from a file.

    A name resolves to a shipped set (`NAME-permuted` for its twin with permuted time), then to
    `module:function`, a function of yours that returns a `Dataset`, an array or a list of arrays,
    or a `Generator` of yours, then to a path: a folder in a layout in which sets are published,
    possibly with the name of the layout before it (`ucr:downloads/Coffee`), or a file, `.csv`,
    `.tsv`, `.parquet`, `.npy`, `.npz`, `.ts`, `.wav`, `.flac`, `.ogg`, `.edf`. Nothing is
    unpickled, and code runs only when named.

    With a column of times every recording of a table is audited: cut where its clock goes back,
    rows of one time averaged, gaps left open. `audits` of the dataset say what was found.

    Args:
        name_or_path: What to read; or a `Generator`.
        key: The array of an npz file that holds the sequences; not needed for one array, or one
            called `x`.
        target: The array of an npz file that holds one label a sequence; or the column of a table
            with the label: of the sequences where it is constant in each, else of the samples.
        time: The column of a table that holds times: numbers, dates or times of day.
        dates: `"day-first"` or `"month-first"`, for dates such as 05/04/2024 none of which tells.
        layout: One letter an axis of an array: `b` sequences, `t` time, `c` channels. None stands
            for `t`, `bt` or `btc`, by the number of axes.
        delimiter: What stands between the cells of a csv file; None for what makes most cells
            numbers.
        kind: `"tokens"` when whole numbers are symbols; None for what the source says, and
            `"real"` where it says nothing.
        dt: Step, in `unit`, or with its unit: `"20ms"`. Beside times in a file it must agree with
            their mean step within 1 %, and gives them their unit; the step of a shipped set or of a
            function it replaces.
        hz: Samples per second, in the place of `dt` and `unit`.
        unit: Time unit of `dt`, seconds when not given; alone, of the times of a file.
        id: The column of a table that names the recording a row is part of; or several that name it
            together, such as person and session.
        value: The columns of a table that are channels; None for all with numbers and no other
            role.
        group: The column of a table, or the array of an `.npz` file, whose values never stand on
            both sides of a split, such as the person.
        form: `"wide"` where a row of a table is a series; None for `"long"`, a time step.
        header: Whether the first row of a csv file names its columns; None to find out.
        channels: The only channels to read of a file with several rates.
        common_hz: Rate in Hz to which everything is brought: low-passed where it is recorded
            faster, uneven times put on a grid first; what lies in gaps stays missing, but for short
            ones before a filter.
        options: Of a generated set its own, such as `length=512`, its sizes `n_train`,
            `n_validation` and `n_test`, and `seed`, of all that is drawn; of any set a dial to turn
            to a dose, `window_shuffle=4`, `noise=20` or `decimate=2`, in the order given.

    Raises:
        UnknownNameError: If there is no such name; the text suggests the nearest ones.
        DataError: If a file is missing, damaged or not what its name says.
        LayoutError: If the layout does not fit the array.
        ConfigError: If the name could mean two things, or an option has no use here or contradicts
            another.
        MissingPackageError: If the package that holds a shipped set is not installed.

    Example:
        >>> load_dataset("GunPoint")
        GunPoint: 200 sequences x 1 channel, length 150, dt 1 sample
    """
    named = {
        "key": key,
        "target": target,
        "time": time,
        "dates": dates,
        "layout": layout,
        "delimiter": delimiter,
        "kind": kind,
        "dt": dt,
        "hz": hz,
        "unit": unit,
        "id": id,
        "value": value,
        "group": group,
        "form": form,
        "header": header,
        "channels": channels,
        "common_hz": common_hz,
    }
    return load_by(name_or_path, named, options)


def load_by(
    name_or_path: str | os.PathLike[str] | Generator,
    named: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    lazy: bool = False,
) -> Dataset:
    """Return a dataset; see `load_dataset`.

    Args:
        name_or_path: What to read.
        named: The words that `load_dataset` names, None where nothing was said.
        options: All others.
        lazy: Make the sequences of a generated set as they are read.

    Raises:
        TimegrainError: As `load_dataset` does.
    """
    generator = generator_of(name_or_path)
    if isinstance(name_or_path, Generator):
        found, name = Target(name=name_or_path.name), name_or_path.name
        # what it was turned to is part of how it is made again
        options = {
            **{w: v for w, v in name_or_path.chosen.items() if named.get(w) is None},
            **options,
        }
    else:
        found, name = resolve(name_or_path), str(name_or_path)
    asked = request(name, generator, named, options)
    words = dict(asked.named)
    step = given_step(words.pop("dt"), words.pop("unit"), words.pop("hz"))
    for word in ("id", "value", "channels"):
        words[word] = several(words[word], word)
    file_options = FileOptions(**words)
    if asked.generator is None:
        data, common_hz = _read(name, found, file_options)
    else:
        if step != (None, None):
            _check_step(asked.generator)
        data = _made(asked.generator, found, asked, file_options, lazy=lazy)
        common_hz = file_options.common_hz
    data = _of_kind(data, file_options.kind)
    data = with_step(data, *step, from_file=found.path is not None)
    return asked.dialled(data if common_hz is None else uniform(data, common_hz))


def generator_of(name_or_path: str | os.PathLike[str] | Generator) -> Generator | None:
    """Return what makes a set by number, None where it is not made so.

    Args:
        name_or_path: As for `load_dataset`.

    Raises:
        TimegrainError: If the name stands for nothing.
    """
    if isinstance(name_or_path, Generator):
        return name_or_path
    found = resolve(name_or_path)
    if found.function is not None:
        own = import_source(found.function)
        return own if isinstance(own, Generator) else None
    return None if found.name is None else card(found.name).generator


def _read(name: str, found: Target, options: FileOptions) -> tuple[Dataset, float | None]:
    """Return what a name stands for, and the rate that is still to be brought about."""
    common_hz = options.common_hz
    if found.name is not None:
        options.only(f"the shipped set {found.name!r}", "kind", "common_hz")
        data = card(found.name).load()
        return data.permuted() if found.permuted else data, common_hz
    if found.function is not None:
        options.only(f"the function {found.function!r}", "layout", "kind", "common_hz")
        data = _from_function(found.function, layout=options.layout, kind=options.kind)
        return data, common_hz
    path = found.path or Path(name)
    own = has_rates(path)
    options = options if own else replace(options, common_hz=None)
    data = read_file(path, options, layout=found.layout)
    return data, None if own else common_hz


def _check_step(generator: Generator) -> None:
    if "dt" in generator.options:
        raise ConfigError(
            f"the step of {generator.name!r} is an option of what makes it",
            got="hz= or unit=",
            expected=f"dt= in {plural(generator.unit, 2)}, such as dt={generator.dt:g}",
        )


def _made(
    generator: Generator, found: Target, asked: Request, options: FileOptions, *, lazy: bool
) -> Dataset:
    options.only(f"the generated set {generator.name!r}", "kind", "common_hz")
    if lazy and (asked.doses or options.common_hz is not None):
        raise ConfigError(
            f"sequences of {generator.name!r} that are made as they are read can only be made in "
            "other ways, not changed",
            got=", ".join([*asked.doses, *(["common_hz"] if options.common_hz else [])]),
            expected=f"options of what makes it: {', '.join(generator.options)}",
        )
    make = lazy_dataset if lazy else generated_dataset
    data: Dataset = make(generator, seed=asked.seed)
    return data.permuted() if found.permuted else data


def _from_function(name: str, *, layout: str | None, kind: Kind | None) -> Dataset:
    function = import_function(name)
    with users_code(name, DataError):
        made = function()
    if isinstance(made, Dataset):
        if layout is not None:
            raise ConfigError(f"{name} returns a dataset, whose layout is known", got=layout)
        return made
    kind = kind or "real"
    where = f"the result of {name}"
    if isinstance(made, list | tuple) and is_sequence_list(made):
        parts = [(real_array(part, name=f"{where}[{i}]"), i) for i, part in enumerate(made)]
        sequences = tuple(
            s
            for part, i in parts
            for s in to_sequences(
                part, layout=layout or _single(part), kind=kind, where=f"{where}[{i}]"
            )
        )
    else:
        sequences = to_sequences(_array(made, where), layout=layout, kind=kind, where=where)
    notes: tuple[str, ...] = ()
    if kind == "real":
        sequences, notes = as_floats(sequences, where=where)
    return Dataset(name=name, sequences=sequences, kind=kind, source=name, notes=notes)


def _single(part: np.ndarray) -> str:
    return "t" if part.ndim == 1 else "tc"


def _array(made: Any, where: str) -> np.ndarray:
    if not (hasattr(made, "__array__") or (isinstance(made, list | tuple) and made)):
        raise DataError(
            f"{where} is no dataset",
            got=type(made).__name__,
            expected="a Dataset, an array, or a list of arrays (time,) or (time, channel)",
            hint="module:name of the Generator itself, not of a function that returns it"
            if isinstance(made, Generator)
            else None,
        )
    return real_array(made, name=where)


def _of_kind(data: Dataset, kind: Kind | None) -> Dataset:
    if kind is None or kind == data.kind:
        return data
    if kind not in ("real", "tokens"):
        raise ConfigError("unknown kind of data", got=kind, expected="real or tokens")
    if kind == "real":
        raise ConfigError(
            f"{data.name!r} holds symbols, whose numbers measure nothing", hint="kind='tokens'"
        )
    sequences = tuple(
        to_tokens(s, f"sequence {i} of {data.name!r}") for i, s in enumerate(data.sequences)
    )
    return replace(data, sequences=sequences, kind="tokens", channel_names=())
