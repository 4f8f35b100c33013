"""Trained networks on disk: weights as safetensors, everything else as JSON, no pickle."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timegrain._version import __version__
from timegrain.core.codec import decode, encode
from timegrain.core.errors import GridError, ModelError, ResultError, TimegrainError
from timegrain.core.output import write_atomically
from timegrain.training.scaling import Scaling

if TYPE_CHECKING:
    from timegrain.models.backbone import Backbone

SCHEMA, SCHEMA_VERSION = "checkpoint", 1
WEIGHTS_FILE, RECORD_FILE = "model.safetensors", "checkpoint.json"
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True, kw_only=True)
class CheckpointRecord:
    """What `checkpoint.json` says of a network.

    Args:
        model: Keywords of `build_model` that build it.
        dt_trained: Step that tau = 1 stands for.
        unit: Unit of `dt_trained`; `"sample"` when the step is not known.
        task: Name of the task it was trained on.
        class_names: Names of the outputs of a classifier, in order.
        channel_names: Names of the input channels, in order.
        inputs: How inputs were standardised; None when they were taken as they are.
        targets: How targets were standardised; None for classes.
        metrics: Scores and other numbers worth keeping.
        timegrain: Version that wrote the file.
        weights_sha256: Of the weights file.
    """

    model: Mapping[str, object]
    dt_trained: float
    unit: str
    task: str | None
    class_names: tuple[str, ...]
    channel_names: tuple[str, ...]
    inputs: Scaling | None
    targets: Scaling | None
    metrics: Mapping[str, float]
    timegrain: str
    weights_sha256: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Checkpoint:
    """A network in eval mode and the record of it; see `CheckpointRecord` for the fields.

    Args:
        model: The network.
        record: What was stored beside it.
    """

    model: "Backbone"
    record: CheckpointRecord = field(repr=False)

    @property
    def dt_trained(self) -> float:
        """Step that tau = 1 stands for."""
        return self.record.dt_trained

    @property
    def unit(self) -> str:
        """Unit of `dt_trained`."""
        return self.record.unit

    def tau_at(self, *, hz: float | None = None, dt: float | None = None) -> float:
        """Return the tau to tell the network at another rate.

        Args:
            hz: Samples per second; needs a `unit` of time.
            dt: Step in `unit`, in the place of `hz`.

        Raises:
            GridError: If not exactly one is given, it is not positive and finite, or the
                checkpoint does not know its step in seconds.
        """
        return tau_at(self.dt_trained, self.unit, hz=hz, dt=dt)


def tau_at(
    dt_trained: float, unit: str, *, hz: float | None = None, dt: float | None = None
) -> float:
    """Return `dt / dt_trained` for a rate in hertz or a step in `unit`.

    Raises:
        GridError: As `Checkpoint.tau_at`.

    Example:
        >>> tau_at(10.0, "ms", hz=50.0), tau_at(10.0, "ms", dt=5.0)
        (2.0, 0.5)
    """
    given = [value for value in (hz, dt) if value is not None]
    if len(given) != 1 or not 0 < given[0] < math.inf:
        raise GridError(
            "one rate or step is needed",
            got=f"hz={hz}, dt={dt}",
            expected="exactly one of them, positive and finite",
        )
    if dt is not None:
        return dt / dt_trained
    if unit not in SECONDS:
        raise GridError(
            "the network does not know its step in seconds",
            got=f"dt_trained = {dt_trained:g} {unit}",
            expected=f"a unit among {', '.join(SECONDS)}",
            hint=f"dt= in {unit}, so that tau = dt / {dt_trained:g}",
        )
    return 1.0 / (given[0] * SECONDS[unit] * dt_trained)


def save_checkpoint(
    path: str | Path,
    model: "Backbone",
    *,
    dt_trained: float,
    unit: str,
    task: str | None = None,
    class_names: tuple[str, ...] = (),
    channel_names: tuple[str, ...] = (),
    inputs: Scaling | None = None,
    targets: Scaling | None = None,
    metrics: Mapping[str, float] | None = None,
) -> Path:
    """Write a network into a directory.

    Each file appears by an atomic rename, the record last; it holds the hash of the weights it
    belongs to, so that two halves of different checkpoints are never taken for one.

    Args:
        path: The directory; made if it does not exist.
        model: A network from `build_model`.
        dt_trained: Step that tau = 1 stands for, > 0.
        unit: Its unit.
        task: As all that follow, see `CheckpointRecord`.
        class_names: Names of the classes.
        channel_names: Names of the channels.
        inputs: Scaling of the inputs.
        targets: Scaling of the targets.
        metrics: Numbers worth keeping.

    Returns:
        The directory.

    Raises:
        GridError: If `dt_trained` is not positive and finite.
        ModelError: If the network has no `config` to build it again.
        ResultError: If the directory cannot be written.
    """
    from safetensors.torch import save

    if not 0 < dt_trained < math.inf:
        raise GridError("a checkpoint needs its step", got=dt_trained, expected="dt_trained > 0")
    config = getattr(model, "config", None)
    if not isinstance(config, dict) or "name" not in config:
        raise ModelError(
            "only networks that say how to build them again can be stored",
            got=type(model).__name__,
            hint="build_model(...), or safetensors.torch.save_model for weights alone",
        )
    weights = save({k: v.detach().contiguous() for k, v in model.state_dict().items()})
    record = CheckpointRecord(
        model=config,
        dt_trained=float(dt_trained),
        unit=unit,
        task=task,
        class_names=class_names,
        channel_names=channel_names,
        inputs=inputs,
        targets=targets,
        metrics=dict(metrics or {}),
        timegrain=__version__,
        weights_sha256=hashlib.sha256(weights).hexdigest(),
    )
    body: Any = encode(record)
    text = json.dumps(
        {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, **body}, indent=2, allow_nan=False
    )
    directory = Path(path)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        write_atomically(directory / WEIGHTS_FILE, weights)
        write_atomically(directory / RECORD_FILE, text.encode())
    except OSError as error:
        raise ResultError(
            "cannot write the checkpoint", got=f"{directory} ({error.strerror})"
        ) from error
    return directory


def load_checkpoint(path: str | Path) -> Checkpoint:
    """Return the network stored in a directory.

    Args:
        path: A directory that `save_checkpoint` wrote.

    Raises:
        ResultError: If a file is missing, damaged, of another checkpoint, or of a newer timegrain.
    """
    directory = Path(path)
    record = _read_record(directory)
    weights = _read(directory / WEIGHTS_FILE)
    if hashlib.sha256(weights).hexdigest() != record.weights_sha256:
        raise ResultError(
            f"{WEIGHTS_FILE} is not the file that {RECORD_FILE} describes",
            got=f"{len(weights)} bytes with another hash",
            hint="copying both files of the checkpoint again",
        )
    model = _build(record, weights)
    model.eval()
    return Checkpoint(model=model, record=record)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ResultError(
            "cannot read the checkpoint",
            got=f"{file} ({error.strerror})",
            expected=f"a directory with {WEIGHTS_FILE} and {RECORD_FILE}",
        ) from error


def _read_record(directory: Path) -> CheckpointRecord:
    try:
        data = json.loads(_read(directory / RECORD_FILE))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ResultError(f"{RECORD_FILE} is not JSON", got=str(error)) from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ResultError(f"{RECORD_FILE} describes no checkpoint", expected=f"schema {SCHEMA!r}")
    version = data.get("schema_version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise ResultError(f"{RECORD_FILE} has no version", got=version, expected="schema_version")
    if version > SCHEMA_VERSION:
        raise ResultError(
            "the checkpoint was written by a newer timegrain",
            got=f"schema version {version} from timegrain {data.get('timegrain')}",
            expected=f"at most {SCHEMA_VERSION}",
            hint="pip install --upgrade timegrain",
        )
    body = {k: v for k, v in data.items() if k not in ("schema", "schema_version")}
    record: CheckpointRecord = decode(CheckpointRecord, body, at=SCHEMA)
    if not 0 < record.dt_trained < math.inf:
        raise ResultError("the checkpoint has no step", got=record.dt_trained, expected="> 0")
    return record


def _build(record: CheckpointRecord, weights: bytes) -> "Backbone":
    from safetensors import SafetensorError
    from safetensors.torch import load

    from timegrain.models.build import build_model

    keywords: dict[str, Any] = dict(record.model)
    try:
        model = build_model(**keywords)
        model.load_state_dict(load(weights))
    except (TimegrainError, TypeError, RuntimeError, SafetensorError) as error:
        raise ResultError(
            "the network of the checkpoint cannot be built here",
            got=str(error),
            hint="the timegrain version in checkpoint.json",
        ) from error
    return model
