"""The header of an EDF file, checked before anything of the size it names is read."""

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from timegrain.core.errors import DataError
from timegrain.data.readers.place import printable, shorten

ANNOTATIONS = "EDF Annotations"
_FIXED, _PER_SIGNAL = 256, 256
# name and width of the fields of each signal; all signals' labels come first, then all transducers
_FIELDS = (
    ("label", 16),
    ("transducer", 80),
    ("unit", 8),
    ("physical minimum", 8),
    ("physical maximum", 8),
    ("digital minimum", 8),
    ("digital maximum", 8),
    ("filter", 80),
    ("number of samples", 8),
    ("reserved part", 32),
)
_WHOLE = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True, kw_only=True)
class EdfSignal:
    """One signal of an EDF file.

    Args:
        label: As in the header, or `signal 3` where that is empty.
        unit: Physical unit, or empty.
        physical: Values the ends of `digital` stand for.
        digital: Smallest and largest whole number.
        samples: In each data record.
        at: First of its samples in a data record.
    """

    label: str
    unit: str
    physical: tuple[float, float]
    digital: tuple[int, int]
    samples: int
    at: int

    @property
    def is_annotation(self) -> bool:
        """Whether it holds text instead of samples."""
        return self.label == ANNOTATIONS


@dataclass(frozen=True, kw_only=True)
class EdfHeader:
    """What an EDF file says about itself, and how much of it is there.

    Args:
        file: Its name.
        plus: `""`, `"EDF+C"`, or `"EDF+D"` where records do not follow each other in time.
        n_records: Complete data records.
        duration: Of a data record, in seconds.
        n_bytes: Of the header.
        signals: All, annotations included.
        notes: What a reader of results should know.
    """

    file: str
    plus: str
    n_records: int
    duration: Fraction
    n_bytes: int
    signals: tuple[EdfSignal, ...]
    notes: tuple[str, ...] = ()

    @property
    def record_bytes(self) -> int:
        """Bytes of a data record."""
        return 2 * sum(s.samples for s in self.signals)


def read_edf_header(path: Path) -> EdfHeader:
    """Return the header of an EDF file.

    Args:
        path: Of the file.

    Raises:
        DataError: If it is no EDF file, a field is no number or outside its domain, or the file is
            shorter than the header says.

    Source:
        B. Kemp et al., A simple format for exchange of digitized polygraphic recordings,
        Electroencephalogr. Clin. Neurophysiol. 82 (1992) 391-393; B. Kemp and J. Olivan, European
        data format 'plus' (EDF+), Clin. Neurophysiol. 114 (2003) 1755-1761.
    """
    with path.open("rb") as file:
        fixed = file.read(_FIXED)
        _check_magic(fixed, path.name)
        n_signals = _whole(fixed[252:256], "number of signals", path.name, least=1)
        n_bytes = _whole(fixed[184:192], "size of the header", path.name)
        if n_bytes != _FIXED + n_signals * _PER_SIGNAL:
            raise DataError(
                f"{path.name}: the header contradicts itself",
                got=f"{n_bytes:,} bytes for {n_signals:,} signals",
                expected=f"{_FIXED + n_signals * _PER_SIGNAL:,}",
                hint="copying it again",
            )
        rest = file.read(n_signals * _PER_SIGNAL)
    if len(rest) < n_signals * _PER_SIGNAL:
        raise _truncated(path.name, _FIXED + len(rest), n_bytes)
    signals = _signals(rest, n_signals, path.name)
    plus = _text(fixed[192:236])[:5]
    n_records, notes = _records(fixed, signals, path.stat().st_size - n_bytes, path.name)
    return EdfHeader(
        file=path.name,
        plus=plus if plus in ("EDF+C", "EDF+D") else "",
        n_records=n_records,
        duration=_duration(fixed[244:252], signals, path.name),
        n_bytes=n_bytes,
        signals=signals,
        notes=notes,
    )


def _check_magic(fixed: bytes, file: str) -> None:
    if fixed[:1] == b"\xff" and fixed[1:8] == b"BIOSEMI":
        raise DataError(
            f"{file} is a BDF file of 24 bits", expected="an EDF file", hint="converting it to EDF"
        )
    if fixed[:8].strip() != b"0" or len(fixed) < _FIXED:
        start = printable(repr(fixed[:8])[1:])
        raise DataError(
            f"{file} is no EDF file, or a damaged one",
            got=f"{len(fixed)} bytes"
            if len(fixed) < _FIXED
            else f"a file that starts with {start}",
            expected=f"'0       ' and a header of {_FIXED} bytes",
        )


def _signals(rest: bytes, count: int, file: str) -> tuple[EdfSignal, ...]:
    fields: dict[str, list[bytes]] = {}
    start = 0
    for name, width in _FIELDS:
        part = rest[start : start + width * count]
        fields[name] = [part[i * width : (i + 1) * width] for i in range(count)]
        start += width * count
    signals, at = [], 0
    for i in range(count):
        label = printable(_text(fields["label"][i])) or f"signal {i + 1}"
        where = f"{file}, signal {i + 1} ({label})"
        samples = _whole(fields["number of samples"][i], "number of samples", where, least=1)
        signals.append(
            EdfSignal(
                label=label,
                unit=printable(_text(fields["unit"][i])),
                physical=(
                    _number(fields["physical minimum"][i], "physical minimum", where),
                    _number(fields["physical maximum"][i], "physical maximum", where),
                ),
                digital=(
                    _whole(fields["digital minimum"][i], "digital minimum", where),
                    _whole(fields["digital maximum"][i], "digital maximum", where),
                ),
                samples=samples,
                at=at,
            )
        )
        at += samples
    return tuple(signals)


def _duration(field: bytes, signals: tuple[EdfSignal, ...], file: str) -> Fraction:
    seconds = _number(field, "duration of a data record", file)
    if all(s.is_annotation for s in signals):
        raise DataError(f"{file} holds annotations only", expected="signals")
    # beyond these a rate means nothing, and a float of the step may not exist
    if not 1e-9 < seconds < 1e9:
        raise DataError(
            f"{file}: the duration of a data record gives no rate",
            got=f"{seconds:g} seconds",
            expected="more than 0",
            hint="the program that wrote it; its signals have no times",
        )
    return Fraction(_text(field))


def _records(
    fixed: bytes, signals: tuple[EdfSignal, ...], held: int, file: str
) -> tuple[int, tuple[str, ...]]:
    declared = _whole(fixed[236:244], "number of data records", file, least=-1)
    size = 2 * sum(s.samples for s in signals)
    whole = held // size
    notes: tuple[str, ...]
    if declared == -1:
        lost = held - whole * size
        note = (
            f"{file} does not say how many data records it has, as after an interrupted recording"
        )
        note += f"; its {whole:,} complete ones were read" + f", {lost:,} bytes not" * bool(lost)
        declared, notes = whole, (note,)
    elif held < declared * size:
        header = _FIXED + len(signals) * _PER_SIGNAL
        raise _truncated(file, header + held, header + declared * size)
    else:
        lost = held - declared * size
        notes = (f"{file} has {lost:,} bytes behind its last data record, not read",) * bool(lost)
    if declared == 0:
        raise DataError(f"{file} holds no data record", expected="1 or more")
    return declared, notes


def _truncated(file: str, held: int, promised: int) -> DataError:
    return DataError(
        f"{file} is truncated",
        got=f"{held:,} bytes",
        expected=f"{promised:,}, as its header says",
        hint="copying it again",
    )


def _text(field: bytes) -> str:
    # the standard says ASCII; a micro sign in Latin-1 is common
    return field.decode("latin-1").rstrip("\0 ").strip()


def _whole(field: bytes, what: str, where: str, *, least: int | None = None) -> int:
    text = _text(field)
    wrong = not _WHOLE.fullmatch(text)
    if wrong or (least is not None and int(text) < least):
        raise DataError(
            f"{where}: the {what} is {'no whole number' if wrong else 'too small'}",
            got=printable(shorten(text)),
            expected="a whole number" + f" >= {least}" * (least is not None),
            hint="copying it again, or the program that wrote it",
        )
    return int(text)


def _number(field: bytes, what: str, where: str) -> float:
    text = _text(field)
    try:
        value = float(text) if "_" not in text else float("nan")
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise DataError(
            f"{where}: the {what} is no number",
            got=printable(shorten(text)),
            expected="a number with a decimal point",
            hint="copying it again, or the program that wrote it",
        )
    return value
