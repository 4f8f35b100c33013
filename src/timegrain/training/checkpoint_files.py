"""Trained networks on disk: weights as safetensors, everything else as JSON, no pickle."""

import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from timegrain._version import __version__
from timegrain.core.codec import decode, encode
from timegrain.core.errors import GridError, ModelError, ResultError, TimegrainError
from timegrain.core.output import write_atomically
from timegrain.models.options import shown
from timegrain.training.checkpoint import Checkpoint
from timegrain.training.checkpoint_record import CheckpointRecord
from timegrain.training.scaling import Scaling
from timegrain.training.seal import FIELD, check_seal, sealed
from timegrain.training.trainer.numbers import is_number, plain_number

if TYPE_CHECKING:
    from torch import Tensor

    from timegrain.models.backbone.network import Backbone

SCHEMA, SCHEMA_VERSION = "checkpoint", 4
_SEALED_SINCE = 3  # version whose records hold a checksum of themselves
WEIGHTS_FILE, RECORD_FILE = "model.safetensors", "checkpoint.json"
_LISTED = 5


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
    kind: Literal["real", "tokens"] = "real",
    dt_tuned: float | None = None,
    cases: Mapping[str, str | int | None] | None = None,
) -> Path:
    """Write a network into a directory.

    Each file appears by an atomic rename, the record last; it holds the hash of the weights it
    belongs to, so that two halves of different checkpoints are never taken for one, and one of
    itself.

    Args:
        path: The directory; made if it does not exist.
        model: A network from `build_model`.
        dt_trained: Step that tau = 1 stands for, > 0.
        unit: Its unit, such as `"s"`; `"sample"`, with a step of 1, where it is not known.
        task: As all that follow, see `CheckpointRecord`.
        class_names: Names of the classes.
        channel_names: Names of the channels.
        inputs: Scaling of the inputs.
        targets: Scaling of the targets.
        metrics: Numbers worth keeping.
        kind: What the inputs are.
        dt_tuned: Step it was fine-tuned at.
        cases: How cases were cut and split.

    Returns:
        The directory.

    Raises:
        GridError: If `dt_trained` is not positive and finite, or `unit` is no name.
        ModelError: If the network has no `config` to build it again, a part does not fit it, its
            weights are not finite, or two of them are one.
        ResultError: If `path` is no path, or the directory cannot be written.

    Note:
        Without `inputs`, `Checkpoint.predict` gives the network what it is given: store how the
        training data were standardised (`input_scaling(task)`, `target_scaling(task)`).
    """
    from safetensors.torch import save

    config = _check_arguments(path, model, dt_trained, unit)
    state = model.state_dict()
    _check_weights(state)
    weights = save({k: v.detach().contiguous() for k, v in state.items()})
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
        kind=kind,
        dt_tuned=dt_tuned,
        cases=None if cases is None else dict(cases),
    )
    body: Any = encode(record)
    said = sealed({"schema": SCHEMA, "schema_version": SCHEMA_VERSION, **body})
    text = json.dumps(said, indent=2, allow_nan=False)
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


def _check_arguments(
    path: object, model: object, dt_trained: object, unit: object
) -> dict[str, object]:
    """Return what builds the network again."""
    if not isinstance(path, str | os.PathLike):
        raise ResultError(
            "a checkpoint is a directory, whose path comes first",
            got=type(path).__name__,
            hint="save_checkpoint(path, model, dt_trained=..., unit=...)",
        )
    step = plain_number(dt_trained)
    if not is_number(step) or not 0 < step < math.inf:
        raise GridError(
            "a checkpoint needs its step", got=shown(dt_trained), expected="dt_trained > 0"
        )
    if not isinstance(unit, str) or not unit:
        raise GridError(
            "a checkpoint needs the unit of its step",
            got=shown(unit),
            expected='a name such as "s"',
            hint='dt_trained=1, unit="sample" where the step is not known',
        )
    config = getattr(model, "config", None)
    if not isinstance(config, dict) or "name" not in config:
        raise ModelError(
            "only networks of build_model, which say how to build them again, can be stored",
            got=type(model).__name__,
            hint="safetensors.torch.save_model(model, file) for the weights, and load_model into "
            "one that was built or loaded as this one was",
        )
    return config


def load_checkpoint(path: str | Path) -> Checkpoint:
    """Return the network stored in a directory, with what is needed to use it on raw data.

    Give raw data to the checkpoint's `predict`, not to its `.model`, which expects inputs
    standardised by `record.inputs`.

    Args:
        path: A directory that `save_checkpoint` wrote, such as `runs/leaf/checkpoints/NAME` of
            `timegrain train ... --output runs/leaf`.

    Raises:
        ResultError: If there is none (those below the directory are named), or a file is damaged,
            of another checkpoint, or of a newer timegrain, or the weights are not finite.

    Example:
        >>> from timegrain.models import build_model
        >>> from timegrain.training import Scaling, save_checkpoint
        >>> import numpy as np, tempfile
        >>> net = build_model("s4d", d_input=1, d_output=2, d_model=4, n_layers=1, seed=0)
        >>> where = tempfile.mkdtemp()
        >>> path = save_checkpoint(
        ...     where, net, dt_trained=0.01, unit="s", class_names=("rest", "motion"),
        ...     inputs=Scaling(center=(20.0,), scale=(2.5,)),
        ... )
        >>> raw = np.random.default_rng(0).normal(20, 2.5, size=(3, 50, 1))
        >>> load_checkpoint(path).predict(raw, hz=50).shape
        (3,)
    """
    if not isinstance(path, str | os.PathLike):
        raise ResultError(
            "a checkpoint is a directory", got=type(path).__name__, expected="its path"
        )
    directory = Path(path)
    _check_place(directory)
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


def find_checkpoints(path: str | Path) -> tuple[Path, ...]:
    """Return the directories at, one or two levels below `path` that hold a checkpoint.

    Args:
        path: Any path; one that does not exist holds none.
    """
    base = Path(path)
    files = (f for depth in ("", "*/", "*/*/") for f in base.glob(f"{depth}{RECORD_FILE}"))
    return tuple(sorted(f.parent for f in files if (f.parent / WEIGHTS_FILE).is_file()))


def _check_place(directory: Path) -> None:
    """Point to the checkpoints that were meant, where the directory is none itself."""
    try:
        a_file = directory.is_file()
    except OSError as error:  # longer than a name can be
        raise ResultError("no directory can have this name", got=error.strerror) from error
    if a_file:
        raise ResultError(
            "a checkpoint is a directory",
            got=f"the file {directory}",
            expected=f"a directory with {WEIGHTS_FILE} and {RECORD_FILE}",
            hint=str(directory.parent) if (directory.parent / RECORD_FILE).is_file() else None,
        )
    if (directory / RECORD_FILE).exists() or (directory / WEIGHTS_FILE).exists():
        return
    found = [repr(str(p)) for p in find_checkpoints(directory)]
    if not found:
        raise ResultError(
            "there is no checkpoint here",
            got=str(directory) if directory.exists() else f"{directory}, which does not exist",
            expected=f"a directory with {WEIGHTS_FILE} and {RECORD_FILE}",
        )
    more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    raise ResultError(
        "this directory is not a checkpoint but holds some",
        got=str(directory),
        expected=f"one of {', '.join(found[:_LISTED])}{more}",
        hint=found[0].strip("'"),
    )


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
    except (ValueError, RecursionError) as error:  # of text, numbers of any size, and depth
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
    if version >= _SEALED_SINCE or FIELD in data:
        data = check_seal(data, name=RECORD_FILE)
    body = {k: v for k, v in data.items() if k not in ("schema", "schema_version")}
    try:
        record: CheckpointRecord = decode(CheckpointRecord, body, at=SCHEMA)
    except ModelError as error:
        raise ResultError(f"{RECORD_FILE} contradicts itself", got=_clause(error)) from error
    for step in (record.dt_trained, 1.0 if record.dt_tuned is None else record.dt_tuned):
        if not 0 < step < math.inf:
            raise ResultError("the checkpoint has no step", got=step, expected="> 0")
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
            got=_clause(error),
            hint=f"timegrain {record.timegrain}, which wrote it",
        ) from error
    wrong = _not_finite(model.state_dict())
    if wrong:
        raise ResultError(
            "the weights of the checkpoint are not finite, so that it cannot answer",
            got=f"NaN or infinity in {wrong}",
            hint="training the network again with a lower learning rate",
        )
    return model


def _clause(error: Exception) -> str:
    """Return the first line of an error as part of a sentence."""
    return str(error).partition("\n")[0].rstrip(".")


def _not_finite(state: "Mapping[str, Tensor]") -> str:
    """Return the name of the first tensor with NaN or infinity in it; empty if there is none."""
    return next((name for name, v in state.items() if not bool(v.isfinite().all())), "")


def _check_weights(state: "Mapping[str, Tensor]") -> None:
    wrong, shared = _not_finite(state), _shared(state)
    if wrong:
        raise ModelError(
            "a network whose weights are not finite is not stored",
            got=f"NaN or infinity in {wrong}",
            hint="training it again with a lower learning rate",
        )
    if shared:
        raise ModelError(
            "weights that two parts of a network share would come back apart",
            got=shared,
            hint="nn.Parameter(weight.detach().clone()) for one of them, or torch.save",
        )


def _shared(state: "Mapping[str, Tensor]") -> str:
    """Return the names of the first two weights that are one; empty if all are apart."""
    owners: dict[tuple[object, int], str] = {}
    for name, tensor in state.items():
        owner = owners.setdefault((tensor.device, tensor.data_ptr()), name)
        if owner != name and tensor.numel():
            return f"{owner} and {name}"
    return ""
