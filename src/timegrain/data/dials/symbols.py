"""The dial from a curve to symbols, of the generated forecasts of systems."""

from dataclasses import replace

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.catalogue import card, datasets
from timegrain.data.dataset import Dataset
from timegrain.data.dials.kinds import Dial
from timegrain.data.dials.words import check_dose
from timegrain.data.generated.dataset import generated_dataset, numbers
from timegrain.data.generated.generator import Generator


def turn_eta(data: Dataset, eta: float, *, seed: int = 0) -> Dataset:
    """Return a generated forecast observed with another share of symbols.

    The cases are made once more, with the same course and the same answers; only what is observed
    of them changes.

    Args:
        data: From `load_dataset` of one of the `SYSTEM-forecast`, at `eta=0`, of any length, step,
            number of cases and further options, otherwise as it comes.
        eta: From 0, a curve, which returns `data` itself, to 1, symbols.
        seed: Not used: the cases have the seed they were made with.

    Raises:
        ConfigError: If `eta` is not from 0 to 1.
        DataError: If the data are no such source, or were made with options that are not known.

    Example:
        >>> from timegrain.data import load_dataset
        >>> data = load_dataset("damped-forecast", n_train=2, n_validation=0, n_test=1)
        >>> turned = turn_eta(data, 0.5)
        >>> bool((turned.labels == data.labels).all())
        True
    """
    share = check_dose(DIAL, eta)
    curves, drawn = _made_of(data)
    if share == DIAL.untouched:
        return data
    turned = generated_dataset(curves.turned(eta=share), seed=drawn)
    return replace(turned, options={**data.options, "eta": share})


def _made_of(data: Dataset) -> tuple[Generator, int]:
    """Return the source that the data are all cases of, at `eta = 0`, and their seed."""
    source = _source(data)
    n_train, n_validation = data.n_train or 0, data.n_validation or 0
    n_test = len(data) - n_train - n_validation
    said = {word: value for word, value in data.options.items() if word in source.options}
    seed = int(data.options.get("seed", 0))
    if data.labels is not None and n_train and n_test > 0:
        source = source.turned(
            **said
            | {
                "eta": DIAL.untouched,
                "length": len(data.sequences[0]),
                "dt": data.dt,
                "n_ahead": data.labels[0].size,
            },
            n_train=n_train,
            n_validation=n_validation,
            n_test=n_test,
        )
        # what was changed behind the options shows in any case
        ends = source.cases(numbers(source)[[0, -1]], seed=seed)
        same = (
            np.array_equal(x, data.sequences[i])
            and np.array_equal(y.ravel(), data.labels[i].ravel())
            for x, y, i in zip(ends.sequences, ends.labels, (0, -1), strict=True)
        )
        if all(same):
            return source, seed
    raise DataError(
        f"the dial eta cannot make {data.name!r} once more: it was changed, or made with options "
        "that it does not tell",
        hint=f"load_dataset({data.name!r}, eta=..., ...), which takes all of them",
    )


def _source(data: Dataset) -> Generator:
    source = card(data.name).generator if data.name in datasets else None
    if source is None or "eta" not in source.options:
        raise DataError(
            "the dial eta turns generated forecasts of systems only",
            got=repr(data.name),
            expected="one such as vdp-forecast",
        )
    return source


DIAL = Dial(
    name="eta",
    turn=turn_eta,
    untouched=0.0,
    unit="",
    whole=False,
    meaning="observed as symbols to such a share, from 0, a curve, to 1",
    low=0.0,
    high=1.0,
)
