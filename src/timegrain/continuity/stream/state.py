"""The state of an accumulator as JSON text, exact to the last bit."""

import base64
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from timegrain.continuity.stream.check import SETTINGS
from timegrain.continuity.stream.run import Run
from timegrain.core.errors import ResultError, TimegrainError
from timegrain.kernels.discontinuity.forest.nodes import Grain, Nodes

if TYPE_CHECKING:
    from timegrain.continuity.stream.accumulator import ContinuityAccumulator

SCHEMA = "timegrain-stream"
VERSION = 2


def to_json(stream: "ContinuityAccumulator") -> str:
    """Return the state: options and counts as JSON, arrays as base64 of little-endian numbers."""
    return json.dumps(
        {
            "schema": SCHEMA,
            "schema_version": VERSION,
            "options": {name: getattr(stream.options, name) for name in SETTINGS},
            "channel_names": stream.channel_names,
            "n_channels": stream.grain.channels if stream.grain else None,
            "rounding": stream.rounding.hex(),
            "sequences": [
                {
                    "sequence": sequence,
                    "words": sorted(stream.words.get(sequence, Counter()).items()),
                    "runs": [_run(r) for r in sorted(runs, key=lambda r: (r.start, r.stop))],
                }
                for sequence, runs in sorted(stream.runs.items())
            ],
        },
        allow_nan=False,
    )


def from_json(text: str) -> "ContinuityAccumulator":
    """Return the accumulator that `to_json` wrote.

    Raises:
        ResultError: If the text is no such state.
    """
    from timegrain.continuity.stream.accumulator import ContinuityAccumulator

    try:
        data = json.loads(text)
        if data["schema"] != SCHEMA or data["schema_version"] != VERSION:
            raise ResultError(
                "this is no state of a stream that can be read",
                got=f"{data['schema']!r}, version {data['schema_version']!r}",
                expected=f"{SCHEMA!r}, version {VERSION}",
            )
        stream = ContinuityAccumulator(
            n_channels=data["n_channels"], channel_names=data["channel_names"], **data["options"]
        )
        stream.rounding = float.fromhex(data["rounding"])
        for part in data["sequences"]:
            runs = [_read_run(run, stream._grain()) for run in part["runs"]]
            stream.runs[int(part["sequence"])] = runs
            if part["words"]:
                words = Counter({int(word): int(count) for word, count in part["words"]})
                stream.words[int(part["sequence"])] = words
    except ResultError:
        raise
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        why = error.what if isinstance(error, TimegrainError) else type(error).__name__
        raise ResultError("this is no state of a stream", got=why) from error
    return stream


def _run(run: Run) -> dict[str, Any]:
    tail = np.concatenate(run.tail)
    return {
        "start": run.start,
        "stop": run.stop,
        "tail": _text(tail),
        "head": None if run.head is None else _text(run.head),
        "nodes": None
        if run.nodes is None
        else {
            "first": run.nodes.first,
            "last": run.nodes.last,
            "values": _text(run.nodes.values),
            "levels": run.nodes.levels.tolist(),
            "indices": run.nodes.indices.tolist(),
        },
    }


def _read_run(data: dict[str, Any], grain: Grain) -> Run:
    samples = (-1,) if grain.tokens else (-1, grain.channels)
    nodes = data["nodes"]
    run = Run(
        start=int(data["start"]),
        stop=int(data["stop"]),
        tail=[_array(data["tail"], samples, grain.tokens)],
        head=None if data["head"] is None else _array(data["head"], samples, grain.tokens),
        nodes=None
        if nodes is None
        else Nodes(
            first=int(nodes["first"]),
            last=int(nodes["last"]),
            values=_array(nodes["values"], (-1, grain.channels, grain.columns), False),
            levels=np.array(nodes["levels"], dtype=np.int64),
            indices=np.array(nodes["indices"], dtype=np.int64),
        ),
    )
    _check(run, grain)
    return run


def _check(run: Run, grain: Grain) -> None:
    begin, nodes = run.start, run.nodes
    if nodes is not None:
        place = nodes.first
        for level, index in zip(nodes.levels.tolist(), nodes.indices.tolist(), strict=True):
            if not 0 <= level < 62 or index << level != place:
                raise ValueError
            place = (index + 1) << level
        if place != nodes.last or len(nodes.values) != len(nodes.levels) or run.head is None:
            raise ValueError
        begin = nodes.last * grain.leaf
    if not 0 <= run.start <= begin or begin + len(run.tail[0]) != run.stop:
        raise ValueError


def _text(array: np.ndarray) -> str:
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return base64.b64encode(np.ascontiguousarray(little).tobytes()).decode()


def _array(text: str, shape: tuple[int, ...], whole: bool) -> np.ndarray:
    raw = np.frombuffer(base64.b64decode(text, validate=True), dtype="<i8" if whole else "<f8")
    return raw.astype(np.int64 if whole else np.float64).reshape(shape)
