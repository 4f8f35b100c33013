"""Which numbers the cases of each part of a generated source have."""

from typing import Literal

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import ConfigError

PARTS: tuple[Literal["train", "validation", "test"], ...] = ("train", "validation", "test")
# numbers that a part may use; no part reaches into the next, however many cases are asked for
SPAN = 1 << 40


def case_numbers(
    part: Literal["train", "validation", "test"], count: int, *, start: int = 0
) -> Int64[np.ndarray, " case"]:
    """Return the numbers of some cases of a part.

    The parts have numbers from 0, 2^40 and 2^41 on, so that they never meet, and the cases of one
    stay what they are when another gets larger.

    Args:
        part: `"train"`, `"validation"` or `"test"`.
        count: How many.
        start: The first of them, counted from 0 within the part.

    Raises:
        ConfigError: If there is no such part, or there are not so many.

    Example:
        >>> case_numbers("validation", 2).tolist()
        [1099511627776, 1099511627777]
    """
    if part not in PARTS:
        raise ConfigError("no such part", got=repr(part), expected=f"one of {', '.join(PARTS)}")
    whole = all(isinstance(n, int | np.integer) for n in (count, start))
    if not whole or count < 0 or start < 0 or start + count > SPAN:
        raise ConfigError(
            f"the {part} part has no such cases",
            got=f"{count} from {start}",
            expected=f"numbers 0..{SPAN - 1}",
        )
    first = PARTS.index(part) * SPAN + start
    return np.arange(first, first + count, dtype=np.int64)


def part_of(index: Int64[np.ndarray, " case"]) -> Int64[np.ndarray, " case"]:
    """Return the part of each case: 0 to train, 1 to validate, 2 to test.

    A generator whose cases could coincide needs it to give each part cases of its own.

    Args:
        index: Numbers of cases.

    Example:
        >>> part_of(np.array([5, 2**40, 2**41 + 7])).tolist()
        [0, 1, 2]
    """
    return np.asarray(index, dtype=np.int64) // SPAN
