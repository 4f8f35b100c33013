"""Python source, of which the next character is to be told."""

import functools
import platform
import zlib

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import ConfigError
from timegrain.data.generated.cases import Cases
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.option import whole
from timegrain.data.generated.parts import part_of
from timegrain.data.generated.streams import case_streams
from timegrain.data.sources.python_source import library_modules, module_text
from timegrain.data.symbolic.sizes import N_TEST, N_TRAIN, N_VALIDATION

# what Python's own source is written in, with few exceptions
CHARACTERS = ("\t", "\n", *(chr(code) for code in range(32, 127)))
OTHER = len(CHARACTERS)
VOCABULARY = (*CHARACTERS, "\N{REPLACEMENT CHARACTER}")


def python_next(index: Int64[np.ndarray, " case"], *, seed: int, length: int) -> Cases:
    """Return stretches of Python's standard library; the answer is the next character.

    A stretch is drawn uniformly among all of its part that lie within a file. Of ten files, eight
    are to train on, one to validate and one to test, by their names: no file is in two parts.

    Args:
        index: Numbers of the cases.
        seed: Of the draw.
        length: Characters of each case.

    Raises:
        DataError: If Python was installed without its source.
        ConfigError: If no file of a part is so long.

    Note:
        The text is that of the Python that runs this program; other versions give other cases.
        Files share phrases, so that the shorter the stretches, the likelier one stands in two
        parts.

    Example:
        >>> made = python_next(np.array([0, 1]), seed=0, length=64)
        >>> made.sequences.shape, made.labels.shape
        ((2, 64), (2,))
    """
    index = np.asarray(index, dtype=np.int64)
    x = np.zeros((len(index), length), dtype=np.int64)
    labels = np.zeros(len(index), dtype=np.int64)
    parts = part_of(index).tolist()
    for i, random in enumerate(case_streams(seed, "python-next", index)):
        ends = _ends(parts[i], length)
        at = int(random.integers(0, ends[-1]))
        number = int(np.searchsorted(ends, at, side="right"))
        start = at - (int(ends[number - 1]) if number else 0)
        file = _files(parts[i])[number]
        x[i], labels[i] = file[start : start + length], file[start + length]
    return Cases(sequences=x, labels=labels)


def part_of_module(name: str) -> int:
    """Return the part a module is in: 0 to train, 1 to validate, 2 to test.

    Args:
        name: Of its file, such as `"ast.py"`.

    Example:
        >>> {part_of_module(f"{letter}.py") for letter in "abcdefghijklmnopqrstuvwxyz"}
        {0, 1, 2}
    """
    return {8: 1, 9: 2}.get(zlib.crc32(name.encode()) % 10, 0)


@functools.cache
def _ends(part: int, length: int) -> Int64[np.ndarray, " file"]:
    """How many stretches the files of a part have, each with those before it."""
    files = _files(part)
    ends = np.array([max(len(file) - length, 0) for file in files], dtype=np.int64).cumsum()
    if not files or ends[-1] == 0:
        raise ConfigError(
            "no file is so long",
            got=f"length={length}",
            expected=f"less than {max(map(len, files), default=0)}",
        )
    return ends


@functools.cache
def _files(part: int) -> tuple[Int64[np.ndarray, " character"], ...]:
    number = {ord(character): i for i, character in enumerate(CHARACTERS)}
    lookup = np.array([number.get(code, OTHER) for code in range(128)], dtype=np.int64)
    found = []
    for path in library_modules():
        if part_of_module(path.name) == part:
            codes = np.frombuffer(module_text(path).encode("utf-32-le"), dtype=np.uint32)
            found.append(np.where(codes < 128, lookup[np.minimum(codes, 127)], OTHER))
    return tuple(found)


PYTHON_NEXT = Generator(
    name="python-next",
    make=python_next,
    source="Python standard library, Python Software Foundation",
    values="a character",
    label="the next character, 98 classes",
    options={"length": whole(128, 64, None, "the number of characters")},
    n_train=N_TRAIN,
    n_validation=N_VALIDATION,
    n_test=N_TEST,
    kind="tokens",
    n_symbols=len(VOCABULARY),
    vocabulary=VOCABULARY,
    unit="character",
    target="class",
    class_names=VOCABULARY,
    notes=(f"the text is that of Python {platform.python_version()}",),
)
