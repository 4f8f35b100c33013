"""What every dataset must satisfy, whoever made it."""

from typing import TYPE_CHECKING

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.memory import release

if TYPE_CHECKING:
    from timegrain.data.dataset import Dataset

_BLOCK = 1 << 20


def check_dataset(data: "Dataset") -> None:
    """Raise unless all parts of a dataset fit each other.

    Args:
        data: The dataset.

    Raises:
        DataError: Naming the first part that does not fit.
    """
    if data.kind not in ("real", "tokens"):
        raise DataError(
            f"unknown kind of data in {data.name!r}", got=data.kind, expected="real or tokens"
        )
    if not (np.isfinite(data.dt) and data.dt > 0):
        raise DataError(f"{data.name!r} needs a step", got=f"dt={data.dt}", expected="dt > 0")
    if data.dt < np.finfo(np.float64).tiny:
        raise DataError(
            f"the step of {data.name!r} is too short for a float64",
            got=f"dt={data.dt:g}",
            hint="a shorter time unit",
        )
    if not data.sequences:
        raise DataError(f"{data.name!r} has no sequences")
    width = data.sequences[0].shape[1:]
    for index, sequence in enumerate(data.sequences):
        _check_sequence(sequence, f"sequence {index} of {data.name!r}", data.kind, width)
    _check_names(data)
    check_answers(data)
    _check_recordings(data)
    if data.times is not None:
        _fits(data, "times", len(data.times))
        for index, (at, sequence) in enumerate(zip(data.times, data.sequences, strict=True)):
            check_times(at, len(sequence), f"sequence {index} of {data.name!r}")


def check_answers(data: "Dataset") -> None:
    """Raise unless the labels and targets of a dataset fit its parts, classes and sequences.

    Args:
        data: The dataset; of its sequences only the lengths are looked at.

    Raises:
        DataError: Naming the first part that does not fit.
    """
    _check_labels(data)
    if data.targets is not None:
        _check_targets(data, data.targets)


def check_times(times: np.ndarray, n_samples: int, where: str) -> None:
    """Raise unless instants are finite, strictly increasing and one a sample.

    Args:
        times: Instants, `(time,)`.
        n_samples: Samples they belong to.
        where: Whose they are, for the error.

    Raises:
        DataError: Naming the first pair that does not increase.
    """
    if times.shape != (n_samples,):
        raise DataError(f"{where}: one time a sample", got=times.shape, expected=(n_samples,))
    if not np.isfinite(times).all():
        row = int((~np.isfinite(times)).argmax())
        what = "missing" if np.isnan(times[row]) else "infinite"
        raise DataError(f"{where}: a time is {what}", got=f"row {row}")
    with np.errstate(over="ignore"):
        steps = np.diff(times)
    late = np.flatnonzero(steps <= 0)
    if late.size:
        k = int(late[0])
        word = "equal" if times[k + 1] == times[k] else "decreasing"
        raise DataError(
            f"{where}: {word} timestamps",
            got=f"{times[k]:.15g} then {times[k + 1]:.15g} at samples {k} and {k + 1}",
            expected="strictly increasing times",
            hint="sorting the rows and averaging those that share a time",
        )
    # Python's own floats overflow without a warning
    if len(times) > 1 and not np.isfinite(float(times[-1]) - float(times[0])):
        raise DataError(
            f"{where}: the times span more than a float64 holds",
            got=f"{times[0]:g} to {times[-1]:g}",
            hint="a longer time unit",
        )


def _check_sequence(sequence: np.ndarray, where: str, kind: str, width: tuple[int, ...]) -> None:
    if kind == "tokens":
        if sequence.ndim != 1 or not np.issubdtype(sequence.dtype, np.integer):
            raise DataError(f"{where}: tokens are whole numbers (time,)", got=_form(sequence))
    elif sequence.ndim != 2 or sequence.dtype not in (np.float64, np.float32):
        raise DataError(
            f"{where}: expected (time, channel) float64 or float32", got=_form(sequence)
        )
    if sequence.shape[1:] != width:
        raise DataError(
            f"{where} has other channels than sequence 0", got=sequence.shape[1:], expected=width
        )
    if sequence.ndim == 2 and sequence.shape[1] == 0:
        raise DataError(f"{where} has no channels")
    if len(sequence) < 2:
        raise DataError(
            f"{where} has too few samples to be a time series",
            got=f"{len(sequence)}",
            expected="2 or more",
            hint="another layout, if time is another axis: layout='bct', 'tc' or 'ct' for arrays; "
            "in a csv file a row is a time step",
        )
    if kind == "tokens" and sequence.min() < 0:
        raise DataError(f"{where}: tokens are numbered from 0", got=int(sequence.min()))
    if kind == "real":
        check_finite(sequence, where)


def check_finite(sequence: np.ndarray, where: str, *, start: int = 0) -> None:
    """Raise if a sample is infinite.

    Args:
        sequence: `(time, channel)`.
        where: Whose it is, for the error.
        start: Number of its first sample.

    Raises:
        DataError: Naming the first such sample.
    """
    # a file of gigabytes is mapped, not held: neither is what is found in it
    block = max(_BLOCK // max(sequence.shape[1], 1), 1)
    for at in range(0, len(sequence), block):
        infinite = np.isinf(sequence[at : at + block])
        if infinite.any():
            sample, channel = np.argwhere(infinite)[0]
            raise DataError(
                f"{where} has an infinite value",
                got=f"sample {start + at + sample}, channel {channel}",
                hint="NaN (or an empty cell) for missing samples",
            )
        release(sequence)


def _check_names(data: "Dataset") -> None:
    if data.channel_names and len(data.channel_names) != data.n_channels:
        _fits(data, "channel names", len(data.channel_names), expected=data.n_channels)
    if data.vocabulary:
        top = max(int(s.max()) for s in data.sequences)
        if top >= len(data.vocabulary):
            raise DataError(
                f"{data.name!r} has a token that is not in its vocabulary",
                got=top,
                expected=f"0..{len(data.vocabulary) - 1}",
            )


def _check_labels(data: "Dataset") -> None:
    if data.n_train is not None and not 0 < data.n_train <= len(data.sequences):
        raise DataError(
            f"{data.name!r}: no such training part",
            got=f"n_train={data.n_train}",
            expected=f"1..{len(data.sequences)}",
        )
    left = len(data.sequences) - (data.n_train or 0)
    if data.n_validation and (data.n_train is None or not 0 < data.n_validation < left):
        raise DataError(
            f"{data.name!r}: no such validation part",
            got=f"n_train={data.n_train}, n_validation={data.n_validation}",
            expected=f"sequences of {len(data.sequences)} that are left for the test part",
        )
    if len(set(data.class_names)) < len(data.class_names):
        twice = next(n for n in data.class_names if data.class_names.count(n) > 1)
        raise DataError(
            f"two classes of {data.name!r} have one name", got=repr(twice), expected="names apart"
        )
    if data.labels is None:
        return
    _fits(data, "labels", len(data.labels))
    if data.class_names:
        good = data.labels.dtype == np.int64 and data.labels.min() >= 0
        if not good or data.labels.max() >= len(data.class_names):
            raise DataError(
                f"labels of {data.name!r} must number its {len(data.class_names)} classes",
                got=_form(data.labels),
                expected="int64 from 0",
            )
    elif _no_numbers(data.labels).any():
        case = tuple(np.argwhere(_no_numbers(data.labels))[0].tolist())
        value = "NaN" if np.isnan(data.labels[case]) else "infinity"
        raise DataError(
            f"a label of {data.name!r} must be a finite float64",
            got=f"{value} for sequence {case[0]}"
            + (f", output {case[1]}" if len(case) > 1 else ""),
            hint="leaving out the sequences whose label is unknown",
        )
    elif data.labels.dtype != np.float64 or data.labels.ndim > 2 or 0 in data.labels.shape:
        raise DataError(
            f"labels of {data.name!r} must be finite float64",
            got=_form(data.labels),
            expected="(batch,), or (batch, output) for several values",
            hint="class_names= with the names of the classes, or labels.astype(float) for values"
            if data.labels.dtype.kind in "iu"
            else None,
        )


def _no_numbers(labels: np.ndarray) -> np.ndarray:
    return ~np.isfinite(labels) if labels.dtype.kind == "f" else np.zeros(labels.shape, dtype=bool)


def _check_recordings(data: "Dataset") -> None:
    if data.ids:
        _fits(data, "names of recordings", len(data.ids))
    for noun, numbers in (("groups", data.groups), ("starts", data.starts)):
        if numbers is None:
            continue
        _fits(data, noun, len(numbers))
        if numbers.dtype != np.int64 or numbers.ndim != 1 or numbers.min() < 0:
            raise DataError(
                f"{noun} of {data.name!r} must be numbers from 0",
                got=_form(numbers),
                expected="int64, one a sequence",
            )


def _check_targets(data: "Dataset", targets: tuple[np.ndarray, ...]) -> None:
    _fits(data, "targets", len(targets))
    for index, (target, sequence) in enumerate(zip(targets, data.sequences, strict=True)):
        where = f"sequence {index} of {data.name!r}"
        if target.shape != (len(sequence),):
            raise DataError(
                f"{where}: one target a sample", got=_form(target), expected=f"({len(sequence)},)"
            )
        good = target.dtype == (np.int64 if data.class_names else np.float64)
        if data.class_names and good:
            # -1 stands where no answer is asked
            good = target.min() >= -1 and target.max() < len(data.class_names)
        if not good or (target.dtype == np.float64 and np.isinf(target).any()):
            raise DataError(
                f"{where}: targets are int64 numbers of classes, or float64 values",
                got=_form(target),
                expected=f"numbers below {len(data.class_names)}" if data.class_names else "values",
            )


def _fits(data: "Dataset", noun: str, got: int, *, expected: int | None = None) -> None:
    expected = len(data.sequences) if expected is None else expected
    if got != expected:
        raise DataError(f"{data.name!r}: {noun} do not fit", got=got, expected=expected)


def _form(array: np.ndarray) -> str:
    return f"{array.dtype} of shape {array.shape}"
