"""All cases of a generated source as a dataset."""

import numpy as np

from timegrain.core.errors import ConfigError
from timegrain.data.dataset import Dataset
from timegrain.data.generated.cases import Cases
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.parts import PARTS, case_numbers
from timegrain.data.memory import check_fits


def generated_dataset(generator: Generator, *, seed: int = 0) -> Dataset:
    """Return the cases to train on, then those to validate on, then those to test on.

    Args:
        generator: Turned to its options and sizes.
        seed: Of everything that is drawn.

    Raises:
        ConfigError: If options do not fit each other, or an answer is asked for at some samples
            only.
        DataError: If the cases do not fit into memory.
    """
    index = np.concatenate([case_numbers(part, size) for part, size in sizes(generator).items()])
    one = generator.cases(index[:1], seed=seed)
    check_fits(len(index) * one.sequences.nbytes, f"all cases of {generator.name!r} at once")
    return as_dataset(generator, generator.cases(index, seed=seed))


def sizes(generator: Generator) -> dict[str, int]:
    """Return the number of cases of each part, by its name."""
    return {part: int(getattr(generator, f"n_{part}")) for part in PARTS}


def as_dataset(generator: Generator, cases: Cases) -> Dataset:
    """Return all cases of a source, in the order of `generated_dataset`, as a dataset."""
    known = cases.known.tolist()
    sequences = tuple(s[:n] for s, n in zip(cases.sequences, known, strict=True))
    labels: np.ndarray | None = cases.labels
    targets = None
    if generator.per_sample:
        check_all_asked(generator, cases)
        targets = tuple(y[:n] for y, n in zip(cases.labels, known, strict=True))
        labels = None
    return Dataset(
        name=generator.name,
        sequences=sequences,
        labels=labels,
        targets=targets,
        class_names=generator.class_names,
        n_train=generator.n_train,
        n_validation=generator.n_validation,
        channel_names=generator.channel_names,
        vocabulary=generator.vocabulary,
        dt=generator.dt,
        unit=generator.unit,
        kind=generator.kind,
        source=generator.source,
        notes=generator.notes,
    )


def check_all_asked(generator: Generator, cases: Cases) -> None:
    """Check that there is an answer at every sample that exists.

    Raises:
        ConfigError: If there is not.
    """
    if not generator.target.startswith("class"):
        return
    exists = np.arange(cases.labels.shape[1]) < cases.known[:, None]
    if (cases.labels[exists] < 0).any():
        raise ConfigError(
            f"{generator!r} asks for answers at some samples only, which no training here leaves "
            "out of its loss",
            hint="an option with which there is one answer a case, such as answers='last'; or "
            "generator.cases(...), which marks the others with -1",
        )
