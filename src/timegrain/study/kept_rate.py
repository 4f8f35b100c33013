"""The learning rate that was searched for, beside the snapshots of the training it was for."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timegrain.core.codec import decode, encode
from timegrain.core.errors import ConfigError, ResultError
from timegrain.core.output import write_atomically
from timegrain.training.seal import check_seal, sealed
from timegrain.training.tuning.rate import LearningRate

if TYPE_CHECKING:
    from timegrain.study.job import TrainingJob

RATE_FILE = "rate.json"


def kept_rate(job: "TrainingJob") -> LearningRate | None:
    """Return what was found before a job was interrupted; None where it has to be searched for.

    A damaged file is as good as none: a search finds the same again.

    Args:
        job: A job that may be resumed.

    Raises:
        ConfigError: If what goes on was begun with another rate, or one found among others.
    """
    from timegrain.training.trainer.snapshots import Snapshots

    place = _place(job)
    if place is None or not job.training.get("resume") or not Snapshots(place).files():
        return None
    if not (place / RATE_FILE).exists():
        raise _other(job, "a rate that was given")
    found = _read(place)
    if found is not None and isinstance(job.lr, tuple) and found.rates != tuple(sorted(job.lr)):
        raise _other(job, f"the best of {', '.join(f'{rate:g}' for rate in found.rates)}")
    return found


def _other(job: "TrainingJob", there: str) -> ConfigError:
    rates = ",".join(f"{rate:g}" for rate in job.lr) if isinstance(job.lr, tuple) else job.lr
    return ConfigError(
        "the snapshots are of another training",
        got=f"a learning rate from --lr {rates} here and {there} there",
        hint="the words it was begun with, or --overwrite to begin again",
    )


def _read(place: Path) -> LearningRate | None:
    try:
        said = check_seal(json.loads((place / RATE_FILE).read_bytes()), name=RATE_FILE)
        found: LearningRate = decode(LearningRate, said, at=RATE_FILE)
    except (OSError, ValueError, RecursionError):
        return None
    return found


def keep_rate(job: "TrainingJob", found: LearningRate) -> None:
    """Store what was found, where the job keeps snapshots.

    Args:
        job: The job.
        found: The rate.

    Raises:
        ResultError: If it cannot be written.
    """
    place = _place(job)
    if place is None:
        return
    said: Any = encode(found)
    try:
        place.mkdir(parents=True, exist_ok=True)
        write_atomically(place / RATE_FILE, json.dumps(sealed(said)).encode())
    except OSError as error:
        raise ResultError(
            "cannot write the learning rate", got=f"{place} ({error.strerror})"
        ) from error


def _place(job: "TrainingJob") -> Path | None:
    place: Any = job.training.get("snapshots")
    return None if place is None else Path(place)
