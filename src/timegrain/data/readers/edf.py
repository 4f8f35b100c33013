"""EDF and EDF+: biosignals in physical units, often at several rates, read with edfio."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from timegrain.core.errors import ConfigError, DataError
from timegrain.core.registry import nearest
from timegrain.data.common_rate import at_rate
from timegrain.data.dataset import Dataset
from timegrain.data.memory import check_fits
from timegrain.data.readers.edf_header import EdfHeader, EdfSignal, read_edf_header
from timegrain.data.readers.edf_onsets import Cut, cut_records
from timegrain.data.readers.extra import need
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.place import printable

Channels = dict[str, EdfSignal]


def read_edf(path: Path, options: FileOptions) -> Dataset:
    """Return the recording in an EDF file, in its physical units and in seconds.

    Annotations are no channels. Where records of an EDF+ file leave time out, the recording is cut
    there: its parts are sequences of one group, and `starts` says where they stand in time.

    Args:
        path: Of the file.
        options: `channels`, `common_hz` and `kind` have a use.

    Raises:
        DataError: If it is no EDF file, damaged or truncated.
        ConfigError: If its channels have several rates and neither `channels` nor `common_hz` says
            what to do, or there is no such channel.
        MissingPackageError: If edfio is not installed.
    """
    options.only(f"{path.name}, an EDF file", "kind", "channels", "common_hz")
    header = read_edf_header(path)
    chosen = _choose(named_channels(header), options.channels, path.name)
    rates = _by_rate(chosen)
    if len(rates) > 1 and options.common_hz is None:
        raise _several(path.name, header, rates)
    several = options.common_hz is None and len(_by_rate(named_channels(header))) > 1
    cut = cut_records(path, header)
    edf = _open(path)
    parts = [_part(header, channels, cut, edf, named=several) for channels in rates]
    data = parts[0] if options.common_hz is None else at_rate(parts, options.common_hz)
    return replace(data, notes=(_units(chosen), *data.notes))


def rates_of(path: Path, channels: Sequence[str] | None = None) -> tuple[tuple[str, ...], ...]:
    """Return the names of the channels of each rate in an EDF file, in the order of the file.

    Args:
        path: Of the file.
        channels: Only these, or None for all.

    Raises:
        DataError: If it is no EDF file, or damaged.
        ConfigError: If there is no such channel.
    """
    found = named_channels(read_edf_header(path))
    return tuple(tuple(rate) for rate in _by_rate(_choose(found, channels, path.name)))


def named_channels(header: EdfHeader) -> Channels:
    """Return the signals that are no annotations; a label met again gets a number.

    Args:
        header: Of the file.
    """
    found: Channels = {}
    met: dict[str, int] = {}
    for signal in _ordinary(header):
        name = signal.label
        while name in found:
            met[signal.label] = met.get(signal.label, 1) + 1
            name = f"{signal.label} ({met[signal.label]})"
        found[name] = signal
    return found


def _ordinary(header: EdfHeader) -> list[EdfSignal]:
    return [s for s in header.signals if not s.is_annotation]


def _by_rate(channels: Channels) -> list[Channels]:
    rates: dict[int, Channels] = {}
    for name, signal in channels.items():
        rates.setdefault(signal.samples, {})[name] = signal
    return list(rates.values())


def _choose(found: Channels, wanted: Sequence[str] | None, file: str) -> Channels:
    if wanted is None:
        return found
    for name in wanted:
        if name not in found:
            near = nearest(name, list(found), count=1)
            raise ConfigError(
                f"{file} has no channel {name!r}",
                expected=f"one of {_listed(found)}",
                hint=f"channels={near[0]!r}" if near else None,
            )
    return {name: found[name] for name in wanted}


def _several(file: str, header: EdfHeader, rates: list[Channels]) -> ConfigError:
    said = "; ".join(f"{_hz(header, r):g} Hz: {_listed(r)}" for r in rates)
    one = min(_hz(header, r) for r in rates)
    return ConfigError(
        f"{file} has channels of {len(rates)} rates",
        got=said,
        expected="one rate",
        hint=f"channels={next(iter(rates[0]))!r} or all of one rate, common_hz={one:g} to resample "
        "them (load_datasets() and timegrain data measure each rate by itself)",
    )


def _part(header: EdfHeader, channels: Channels, cut: Cut, edf: Any, *, named: bool) -> Dataset:
    """Return the channels of one rate."""
    samples = next(iter(channels.values())).samples
    n = header.n_records * samples
    check_fits(8 * n * len(channels), f"{header.file} ({n:,} samples of {len(channels)} channels)")
    values = np.empty((n, len(channels)))
    # edfio leaves annotations out as well, so that the places agree
    places = {signal.at: i for i, signal in enumerate(_ordinary(header))}
    signals = edf.signals
    for column, (name, signal) in enumerate(channels.items()):
        _check_scale(signal, f"{header.file}, channel {name!r}")
        values[:, column] = signals[places[signal.at]].data[:n]
    sequences = [values[a * samples : b * samples] for a, b in cut.ranges]
    lost = sum(len(s) < 2 for s in sequences)
    kept = [i for i, s in enumerate(sequences) if len(s) >= 2]
    if not kept:
        raise DataError(f"{header.file}: no part has two samples", got=f"{lost} parts")
    starts = [round(cut.onsets[i] * samples / header.duration) for i in kept]
    stem, parts = printable(Path(header.file).stem), len(cut.ranges) > 1
    left_out = (f"{lost} parts of fewer than two samples were left out",) * bool(lost)
    return Dataset(
        name=f"{stem} [{_hz(header, channels):g} Hz]" if named else stem,
        sequences=tuple(sequences[i] for i in kept),
        channel_names=tuple(channels),
        dt=float(header.duration / samples),
        unit="s",
        ids=(stem,) * len(kept) if parts else (),
        groups=np.zeros(len(kept), dtype=np.int64) if parts else None,
        starts=np.array(starts, dtype=np.int64) if parts else None,
        source=f"{printable(header.file)}, {header.plus or 'EDF'}",
        notes=(*header.notes, *cut.notes, *left_out),
    )


def _check_scale(signal: EdfSignal, where: str) -> None:
    (low, high), (bottom, top) = signal.digital, signal.physical
    scale = (top - bottom) / (high - low) if low < high else 0.0
    if not (scale and abs(scale) < float("inf") and abs(top / scale) < 1e15):
        raise DataError(
            f"{where} has no scale",
            got=f"{bottom:g} to {top:g} for {low} to {high}",
            expected="two different values for a smaller and a larger whole number",
            hint="channels= with the others",
        )


def _open(path: Path) -> Any:
    edfio = need("edfio", "science", "EDF files")
    with warnings.catch_warnings():
        # of a number of records that differs from the header's, which the notes say
        warnings.simplefilter("ignore")
        try:
            return edfio.read_edf(path, lazy_load_data=True, header_encoding="latin-1")
        except (ValueError, LookupError) as error:
            text = printable(str(error).splitlines()[0])
            raise DataError(f"{path.name} cannot be read by edfio", got=text) from error


def _units(channels: Channels) -> str:
    units: dict[str, list[str]] = {}
    for name, signal in channels.items():
        units.setdefault(signal.unit or "no unit", []).append(name)
    if len(units) == 1:
        return f"values in {next(iter(units))}, as the file scales them"
    said = ", ".join(f"{unit} ({_listed(names)})" for unit, names in units.items())
    return f"values as the file scales them, in {said}"


def _listed(names: Sequence[str] | Channels, most: int = 5) -> str:
    shown = list(names)[:most]
    more = len(names) - len(shown)
    return ", ".join(shown) + f" and {more} more" * bool(more)


def _hz(header: EdfHeader, channels: Channels) -> float:
    return float(f"{float(next(iter(channels.values())).samples / header.duration):.9g}")
