"""All cases of a generated source as a dataset."""

from typing import TypeVar

import numpy as np
from jaxtyping import Int64

from timegrain.data.cards.shelf import version_of
from timegrain.data.dataset import Dataset
from timegrain.data.generated.answers import blocks, joined
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.parts import PARTS, case_numbers
from timegrain.data.memory import check_fits

Made = TypeVar("Made", bound=Dataset)


def generated_dataset(generator: Generator, *, seed: int = 0) -> Dataset:
    """Return the cases to train on, then those to validate on, then those to test on.

    Args:
        generator: Turned to its options and sizes.
        seed: Of everything that is drawn.

    Raises:
        ConfigError: If options do not fit each other.
        DataError: If the cases do not fit into memory.
    """
    index = numbers(generator)
    one = generator.cases(index[:1], seed=seed).sequences
    what = f"all cases of {generator.name!r} at once"
    check_fits(len(index) * one.nbytes, what, hint="load_task(..., lazy=True), or fewer cases")
    sequences: list[np.ndarray] = []
    labels, lengths = [], []
    for cases in blocks(generator, index, seed=seed, one=one):
        known = cases.known
        sequences += [s[:n] for s, n in zip(cases.sequences, known.tolist(), strict=True)]
        labels.append(cases.labels)
        lengths.append(known)
    return as_dataset(
        generator, tuple(sequences), joined(labels), np.concatenate(lengths), maker=Dataset
    )


def numbers(generator: Generator) -> Int64[np.ndarray, " case"]:
    """Return the numbers of all cases: those to train on, to validate on, to test on.

    Raises:
        DataError: If already they do not fit into memory.
    """
    sizes = [int(getattr(generator, f"n_{part}")) for part in PARTS]
    # those of the parts, and all in a row
    what = f"a list of {sum(sizes):,} cases of {generator.name!r}"
    check_fits(16 * sum(sizes), what, hint="fewer cases")
    return np.concatenate([case_numbers(p, n) for p, n in zip(PARTS, sizes, strict=True)])


def as_dataset(
    generator: Generator,
    sequences: tuple[np.ndarray, ...],
    labels: np.ndarray,
    lengths: Int64[np.ndarray, " case"],
    *,
    maker: type[Made],
) -> Made:
    """Return sequences and labels as a dataset.

    Args:
        generator: What made them.
        sequences: All of them, in the order of `numbers`.
        labels: As `Cases` has them.
        lengths: Samples of each.
        maker: `Dataset`, or a class of datasets with its fields.
    """
    targets = None
    if generator.per_sample:
        targets = tuple(y[:n] for y, n in zip(labels, lengths.tolist(), strict=True))
    size = range(generator.n_symbols)
    return maker(
        name=generator.name,
        sequences=sequences,
        labels=None if generator.per_sample else labels,
        targets=targets,
        class_names=generator.class_names,
        n_train=generator.n_train,
        n_validation=generator.n_validation,
        channel_names=generator.channel_names,
        vocabulary=generator.vocabulary or tuple(str(i) for i in size),
        dt=generator.dt,
        unit=generator.unit,
        kind=generator.kind,
        source=generator.source,
        notes=generator.notes,
        version=version_of(generator.name) if generator.shipped else None,
    )
