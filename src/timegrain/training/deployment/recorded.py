"""A task together with the recordings its cases were cut from."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.continuity.retention.cases import Cases
from timegrain.continuity.retention.filtered import Unusable, low_passed_cases
from timegrain.core.errors import ConfigError, TimegrainError
from timegrain.data.dataset import Dataset
from timegrain.data.duration import check_length, to_samples
from timegrain.data.forecast import load_to_forecast
from timegrain.data.load import load_dataset
from timegrain.data.targets import label_word
from timegrain.data.task import Task
from timegrain.data.tasks import make_task
from timegrain.data.windows import WindowPlaces, find_windows, make_windows
from timegrain.training.deployment.resampled import resampled_cases

Sequences = list[Float64[np.ndarray, "time channel"]]


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordedTask:
    """A task whose cases know where in which recording they are.

    Args:
        task: The task.
        recordings: What its cases are cut from; the cases themselves where nothing was cut.
        places: Where each case is; None where nothing was cut.
    """

    task: Task
    recordings: Dataset
    places: WindowPlaces | None = None

    def thinned(
        self, step: float, index: Int64[np.ndarray, " case"] | None = None
    ) -> list[np.ndarray]:
        """Return every `step`-th raw sample of some cases, from their first on.

        Args:
            step: In recorded samples, >= 1.
            index: Which cases, ascending; None for those of the test part.

        Raises:
            Unusable: If it is no whole number.
        """
        if step != round(step):
            raise Unusable("no whole number of samples: between them there are none to keep")
        k = round(step)
        chosen = self.task.test.index if index is None else index
        return [self.task.dataset.sequences[i][::k] for i in chosen.tolist()]

    def filtered(self, step: float, index: Int64[np.ndarray, " case"] | None = None) -> Sequences:
        """Return some cases of recordings that were low-passed before they were cut.

        Missing samples are put on lines between their neighbours first. A step that is no whole
        number is made by `fir_resample`, and each case begins at its own first sample.

        Args:
            step: In recorded samples, > 1.
            index: Which cases, ascending; None for those of the test part.

        Raises:
            Unusable: If these recordings cannot be filtered; the text says why.
        """
        made = self._cases(self.task.test.index if index is None else index)
        try:
            if step == round(step):
                return [x[:: round(step)] for x in low_passed_cases(made, round(step))]
        except ConfigError as error:
            raise Unusable(error.got or str(error)) from error
        return list(resampled_cases(made, step))

    def _cases(self, index: Int64[np.ndarray, " case"]) -> Cases:
        data, places = self.task.dataset, self.places
        every = np.arange(len(data))
        made = Cases(
            recordings=self.recordings,
            cases=data,
            recording=every if places is None else places.recording,
            first=np.zeros_like(every) if places is None else places.first,
            y=every,
            class_names=(),
            window=None,
            hop=None,
            ahead=None,
            at_end=places is not None and places.at_end,
            notes=(),
        )
        return made.chosen(index, "some of the cases")


def load_recorded(
    name_or_path: str | os.PathLike[str],
    *,
    target: str | int | None = None,
    window: int | str | None = None,
    hop: int | str | None = None,
    ahead: int | str | None = None,
    seed: int = 0,
    **options: Any,
) -> RecordedTask:
    """Return the task of `load_task` with its recordings.

    Args:
        name_or_path: As all that follow, see `load_task`.
        target: Where the labels are, or what to forecast.
        window: Samples or a time; None where sequences are cases.
        hop: As `window`; None for no overlap.
        ahead: As `window`; None for no forecast.
        seed: Of the split, and of a generated set.
        options: Further words of `load_dataset`.

    Raises:
        ConfigError: If a length or an option does not fit.
        DataError: If there are no labels, or it cannot be read or split.
    """

    def load(column: str | None) -> Dataset:
        return load_dataset(name_or_path, target=column, **options, seed=seed)

    for word, length in (("window", window), ("hop", hop), ("ahead", ahead)):
        check_length(length, word)
    if window is None:
        if hop is not None or ahead is not None:
            raise ConfigError("hop and ahead need windows", hint="window='2s' or window=128")
        data = load(label_word(target))
        return RecordedTask(
            task=make_task(data, seed=seed, target=label_word(target)), recordings=data
        )
    if ahead is not None:
        data, channel = load_to_forecast(load, target)
    else:
        data, channel = load(label_word(target)), None

    def samples(length: int | str | None, word: str) -> int | None:
        return None if length is None else to_samples(length, data.dt, data.unit, word=word)

    later = samples(ahead, "ahead")
    wide = to_samples(window, data.dt, data.unit, least=2)
    step = samples(hop, "hop")
    try:
        cut = make_windows(data, window=wide, hop=step, ahead=later, target=channel)
        places = find_windows(data, window=wide, hop=step, ahead=later, target=channel)
    except TimegrainError as error:
        raise error.within(data.name) from error
    return RecordedTask(
        task=make_task(
            cut,
            ahead=later or 0,
            seed=seed,
            target=label_word(target) if channel is None else channel,
        ),
        recordings=data,
        places=places,
    )
