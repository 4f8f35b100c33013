"""Cases cut from recordings that a slower converter would have made."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.retention.cases import Cases
from timegrain.continuity.retention.gaps import fill
from timegrain.core.errors import ConfigError
from timegrain.resample.edges import odd_extension
from timegrain.resample.fir import fir_taps, shortest_length


class Unusable(Exception):
    """A stride at which nothing can be measured; the text says why."""


def low_passed_cases(made: Cases, stride: int) -> list[Float64[np.ndarray, "time channel"]]:
    """Return the cases at their full rate, without what `stride` times the step cannot show.

    Whole recordings are filtered, as `fir_decimate` does, before cases are cut from them. Where a
    label belongs to a case's last sample, the filter, which is as long ahead as behind, would
    look at what is to be predicted: there it sees the recording up to that sample only, continued
    by its mirror image, which weakens fast content in the last few kept samples less.

    Args:
        made: The cases.
        stride: Whole number >= 2.

    Raises:
        Unusable: If a recording is too short for the filter.
        ConfigError: If symbols or irregular samples are to be filtered.
    """
    data = made.recordings
    if data.kind == "tokens" or data.times is not None:
        raise ConfigError(
            f"{data.name!r} cannot be filtered",
            got="symbols" if data.kind == "tokens" else "samples at irregular times",
            hint="decimator='phase', which drops samples as they are"
            + "; or common_hz= where they are loaded" * (data.kind != "tokens"),
        )
    used = np.unique(made.recording)
    needed, shortest = shortest_length(stride), int(data.lengths[used].min())
    if shortest < needed:
        raise Unusable(
            f"the filter needs {needed:,} samples, and the shortest recording has {shortest:,}"
        )
    taps = fir_taps(stride)
    return list(_without_future(made, taps) if made.at_end else _whole(made, taps))


def _whole(made: Cases, taps: np.ndarray) -> Iterator[np.ndarray]:
    done: dict[int, np.ndarray] = {}
    for i, first, n in _places(made):
        if i not in done:
            source = fill(made.recordings.sequences[i], np.nan)
            done[i] = _convolved(odd_extension(source.T.copy(), len(taps) // 2).T, taps)
        yield done[i][first : first + n]


def _without_future(made: Cases, taps: np.ndarray) -> Iterator[np.ndarray]:
    reach = len(taps) // 2
    for i, first, n in _places(made):
        before = min(first, reach)
        known = fill(made.recordings.sequences[i][first - before : first + n], np.nan)
        known = np.pad(known, ((0, reach), (0, 0)), mode="reflect")
        ahead = ((reach - before, 0), (0, 0))
        yield _convolved(np.pad(known, ahead, mode="reflect", reflect_type="odd"), taps)


def _places(made: Cases) -> Iterator[tuple[int, int, int]]:
    columns = (made.recording, made.first, made.cases.lengths)
    yield from zip(*(c.tolist() for c in columns), strict=True)


def _convolved(x: np.ndarray, taps: np.ndarray) -> np.ndarray:
    from scipy.signal import oaconvolve

    out: np.ndarray = oaconvolve(x, taps[:, None], mode="valid", axes=0)
    return out
