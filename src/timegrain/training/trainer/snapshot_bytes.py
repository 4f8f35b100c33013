"""One snapshot as bytes: a mark, a checksum over all that follows, JSON, tensors; no pickle."""

import hashlib
import json
from typing import Any

from timegrain.core.errors import ResultError
from timegrain.training.trainer.tree import join, split

MARK = b"timegrain snapshot 1\n"
_DIGEST = hashlib.sha256().digest_size
_LENGTH = 8


class DamagedError(ResultError):
    """Bytes that are not those of a whole snapshot."""


def pack(state: object) -> bytes:
    """Return a state as bytes.

    Args:
        state: As `split` takes it apart.

    Raises:
        ResultError: If there is something in it that cannot be stored.
    """
    from safetensors.torch import save

    plain, tensors = split(state)
    text = json.dumps(plain, allow_nan=False).encode()
    body = len(text).to_bytes(_LENGTH, "little") + text + save(tensors)
    return MARK + hashlib.sha256(MARK + body).digest() + body


def unpack(content: bytes) -> Any:
    """Return the state that `pack` made bytes of.

    Args:
        content: All bytes of a file.

    Raises:
        DamagedError: If a bit of them is another, some are missing, or there are more.
        ResultError: If another version of timegrain wrote them.
    """
    from safetensors.torch import load

    mark, rest = content[: len(MARK)], content[len(MARK) :]
    digest, body = rest[:_DIGEST], memoryview(rest)[_DIGEST:]
    found = hashlib.sha256(mark)
    found.update(body)
    if found.digest() != digest:
        raise DamagedError("the snapshot is damaged", got=_defect(content))
    if mark != MARK:
        raise ResultError(
            "the snapshot was written by another version of timegrain",
            got=mark.decode(errors="replace").strip(),
            expected=MARK.decode().strip(),
            hint="pip install --upgrade timegrain",
        )
    start = _LENGTH + int.from_bytes(body[:_LENGTH], "little")
    return join(json.loads(bytes(body[_LENGTH:start])), load(bytes(body[start:])))


def _defect(content: bytes) -> str:
    if len(content) < len(MARK) + _DIGEST + _LENGTH:
        return f"{len(content)} bytes, too few" if content else "an empty file"
    return "bytes that do not fit their checksum"
