"""A checksum inside a JSON record, over everything that the record says."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from timegrain.core.errors import ResultError

FIELD = "sha256"


def sealed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON values with their checksum, which white space and the order do not change.

    Args:
        data: A JSON object.

    Example:
        >>> record = sealed({"dt": 0.01})
        >>> check_seal(record, name="record.json")
        {'dt': 0.01}
    """
    return {**data, FIELD: _digest(data)}


def check_seal(data: Mapping[str, Any], *, name: str) -> dict[str, Any]:
    """Return a record without its checksum.

    Args:
        data: What `sealed` returned.
        name: Of the file, for errors.

    Raises:
        ResultError: If the record is not the one the checksum belongs to.
    """
    body = {key: value for key, value in data.items() if key != FIELD}
    if data.get(FIELD) != _digest(body):
        raise ResultError(
            f"{name} is damaged, or was changed",
            got="a checksum of something else" if FIELD in data else "no checksum",
            hint="copying it again",
        )
    return body


def _digest(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
