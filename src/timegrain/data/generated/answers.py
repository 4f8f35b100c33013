"""The labels of all cases of a source, of which a block at a time is made."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import DataError
from timegrain.core.users_code import users_code
from timegrain.data.generated.cases import Cases
from timegrain.data.generated.checks import check_answers_made
from timegrain.data.generated.generator import Generator

# what is made at once stays in the cache of a processor, and small beside any task
_BLOCK_BYTES = 1 << 25
_MOST = 4096


def block_size(one: np.ndarray) -> int:
    """Return how many cases are made at once, from the sequences of one."""
    return int(np.clip(_BLOCK_BYTES // max(one.nbytes, 1), 1, _MOST))


def blocks(
    generator: Generator,
    index: Int64[np.ndarray, " case"],
    *,
    seed: int,
    one: np.ndarray | None = None,
) -> Iterator[Cases]:
    """Yield all cases of `index`, in its order, some at a time.

    Args:
        generator: Turned to its options.
        index: Numbers of the cases, at least one.
        seed: Of everything that is drawn.
        one: The sequences of one case, where they were made already.
    """
    size = block_size(generator.cases(index[:1], seed=seed).sequences if one is None else one)
    for at in range(0, len(index), size):
        yield generator.cases(index[at : at + size], seed=seed)


def labels_and_lengths(
    generator: Generator, index: Int64[np.ndarray, " case"], *, seed: int
) -> tuple[np.ndarray, Int64[np.ndarray, " case"]]:
    """Return the labels and lengths of cases; no more than a block of sequences is held.

    Args:
        generator: Turned to its options.
        index: Numbers of the cases, at least one.
        seed: Of everything that is drawn.

    Returns:
        Labels as in `Cases`, those a sample padded with 0; and lengths, `(case,)`.

    Raises:
        DataError: If they are no such arrays.
    """
    if generator.answers is not None:
        with users_code(generator.name, DataError, doing="cannot give its answers"):
            labels, lengths = generator.answers(index, seed=seed, **generator.settings)
        check_answers_made(generator, labels, lengths, count=len(index))
        if lengths is None:
            time = generator.cases(index[:1], seed=seed).sequences.shape[1]
            lengths = np.full(len(index), time, dtype=np.int64)
        return labels, lengths
    found = [(c.labels, c.known) for c in blocks(generator, index, seed=seed)]
    return joined([labels for labels, _ in found]), np.concatenate([n for _, n in found])


def joined(labels: list[np.ndarray]) -> np.ndarray:
    """Return labels of blocks in a row, padded with 0 to the widest."""
    if labels[0].ndim == 1:
        return np.concatenate(labels)
    width = max(block.shape[1] for block in labels)
    return np.concatenate([np.pad(b, ((0, 0), (0, width - b.shape[1]))) for b in labels])
