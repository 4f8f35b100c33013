"""What a description of a generated source, and numbers of cases, must be."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.generated.option import Option

if TYPE_CHECKING:
    from timegrain.data.generated.generator import Generator

KINDS = ("real", "tokens")
TARGETS = ("class", "value", "class-per-sample", "value-per-sample")
# the fields that may follow from options
FOLLOW = (
    *("kind", "n_symbols", "vocabulary", "target", "class_names", "value_names"),
    *("channel_names", "dt", "unit"),
)


def check_description(generator: "Generator", sizes: dict[str, Option]) -> None:
    """Check what a generator says of itself, as far as that needs no case.

    Args:
        generator: What to look at.
        sizes: The words for its sizes, and what they may be.

    Raises:
        ConfigError: If a field is outside its domain.
    """
    for word in ("name", "unit"):
        text = getattr(generator, word)
        if not isinstance(text, str) or not text.strip():
            raise ConfigError(f"a Generator has no {word}", got=repr(text), expected="a text")
    for word, known in (("kind", KINDS), ("target", TARGETS)):
        if getattr(generator, word) not in known:
            raise _wrong(generator, word, f"one of {', '.join(known)}")
    if not callable(generator.make):
        raise _wrong(generator, "make", "a function make(index, *, seed, **options)")
    for word, size in sizes.items():
        found = getattr(generator, word)
        if not isinstance(found, int | np.integer):
            raise _wrong(generator, word, size.domain)
        size.take(word, found)
    dt = generator.dt
    good = isinstance(dt, int | float | np.number) and not isinstance(dt, bool)
    if not good or not 0 < dt < math.inf:
        raise _wrong(generator, "dt", "a step above 0")
    for word, option in generator.options.items():
        if not isinstance(option, Option) or word in (*sizes, "seed"):
            raise ConfigError(
                f"{generator.name!r} has an option that is none",
                got=f"{word}: {type(option).__name__}",
                expected=f"an Option by each name, none of them seed, {', '.join(sizes)}",
            )


def checked_index(name: str, index: Any) -> Int64[np.ndarray, " case"]:
    """Return numbers of cases as an array.

    Args:
        name: Of what is to make them.
        index: `(case,)`, whole numbers >= 0.

    Raises:
        ConfigError: If they are none.
    """
    try:
        numbers = np.asarray(index)
    except ValueError:  # rows of different lengths
        numbers = np.zeros((1, 1))
    whole = numbers.dtype.kind in "iu" or not numbers.size
    if numbers.ndim != 1 or not whole or (numbers.size and numbers.min() < 0):
        raise ConfigError(
            f"{name!r} has no such cases",
            got=f"{index!r:.60}",
            expected="an array (case,) of whole numbers >= 0, as case_numbers gives",
        )
    return numbers.astype(np.int64, copy=False)


def checked_follows(name: str, follows: Any) -> Mapping[str, Any]:
    """Return the fields that follow from options.

    Args:
        name: Of the source.
        follows: What `depends` returned.

    Raises:
        ConfigError: If they are no such fields.
    """
    if isinstance(follows, Mapping) and set(follows) <= set(FOLLOW):
        return follows
    got = ", ".join(map(repr, follows)) if isinstance(follows, Mapping) else repr(follows)
    raise ConfigError(
        f"what follows from the options of {name!r} is none of its fields",
        got=f"{got:.120} from depends",
        expected=f"a mapping of some of {', '.join(FOLLOW)}",
    )


def check_answers_made(
    generator: "Generator", labels: Any, lengths: Any, *, count: int, time: int | None = None
) -> None:
    """Check the form of what came with sequences, or in their place.

    Args:
        generator: What made it.
        labels: As `Cases` has them.
        lengths: As `Cases` has them.
        count: Cases that were asked for.
        time: Samples that the sequences have room for; None where they were not made.

    Raises:
        DataError: If there is not one label a case, or a sample, or a case has no such length.
    """
    shape = np.shape(labels)
    rows = shape[:1] == (count,) and len(shape) <= 2
    room = math.inf if time is None else time
    if not isinstance(labels, np.ndarray) or not rows or not _fitting(generator, shape, room):
        wanted = f"({count}, time)" if generator.per_sample else f"({count},)"
        raise DataError(
            f"{generator.name!r} made labels of another form",
            got=f"{type(labels).__name__} of shape {shape}",
            expected=f"an array {wanted} for {generator.target}",
        )
    if lengths is None:
        return
    whole = isinstance(lengths, np.ndarray) and lengths.dtype.kind in "iu"
    if not whole or lengths.shape != (count,) or (count and not _within(lengths, room)):
        raise DataError(
            f"{generator.name!r} made sequences of no such lengths",
            got=f"{lengths!r:.60}",
            expected=f"an array ({count},) of whole numbers from 0 to {room:g}",
        )


def _fitting(generator: "Generator", shape: tuple[int, ...], room: float) -> bool:
    if generator.per_sample:
        return len(shape) == 2 and shape[1] <= room
    return len(shape) == 1 or generator.metric == "r2"


def _within(lengths: Int64[np.ndarray, " case"], room: float) -> bool:
    return int(lengths.min()) >= 0 and int(lengths.max()) <= room


def _wrong(generator: "Generator", word: str, expected: str) -> ConfigError:
    got = f"{word}={getattr(generator, word)!r:.60}"
    return ConfigError(f"{generator.name!r} has a wrong {word}", got=got, expected=expected)
