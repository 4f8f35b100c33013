"""Whether the generators that a whole process shares are left alone."""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

_SEED = 1_618_033_988  # that of no source: one that seeds anew leaves another state behind


@contextmanager
def global_generators() -> Iterator[list[str]]:
    """Note which of the generators of a process are drawn from or seeded within; then restore them.

    They are put into a state of their own before, so that a source which seeds them alike each time
    is seen as well.

    Returns:
        The packages whose generator was touched, filled in at the end.

    Example:
        >>> with global_generators() as touched:
        ...     np.random.seed(0)
        >>> touched
        ['numpy']
    """
    kept = _states()
    random.seed(_SEED)
    np.random.seed(_SEED)  # noqa: NPY002 (legacy generators are what is looked at)
    torch = _torch()
    if torch is not None:
        torch.default_generator.manual_seed(_SEED)
    set_to, touched = _states(), list[str]()
    try:
        yield touched
    finally:
        now = _states()
        touched += [name for name, state in set_to.items() if now[name] != state]
        _restore(kept)


def _torch() -> Any:
    return sys.modules.get("torch")  # one that nobody imported has no state to change


def _states() -> dict[str, Any]:
    legacy: Any = np.random.get_state()  # noqa: NPY002
    kind, words, *rest = legacy
    states: dict[str, Any] = {
        "random": random.getstate(),
        "numpy": (kind, words.tobytes(), *rest),
    }
    torch = _torch()
    if torch is not None:
        states["torch"] = tuple(torch.default_generator.get_state().tolist())
    return states


def _restore(states: dict[str, Any]) -> None:
    kind, words, *rest = states["numpy"]
    random.setstate(states["random"])
    np.random.set_state((kind, np.frombuffer(words, np.uint32), *rest))  # noqa: NPY002
    torch = _torch()
    if torch is not None and "torch" in states:
        torch.default_generator.set_state(torch.tensor(states["torch"], dtype=torch.uint8))
