"""Cases of recordings at a rate that is no whole part of the recorded one."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.retention.cases import Cases
from timegrain.continuity.retention.filtered import Unusable
from timegrain.continuity.retention.gaps import fill
from timegrain.resample.fir import shortest_length
from timegrain.resample.rational import fir_resample, ratio


def resampled_cases(made: Cases, step: float) -> Iterator[Float64[np.ndarray, "time channel"]]:
    """Return the cases at another step, each from its own first sample on.

    Recordings are resampled whole, once for each phase that the cases begin at.

    Args:
        made: The cases.
        step: In recorded samples, a ratio of small whole numbers > 1.

    Raises:
        Unusable: If a recording is too short for the filter or cannot be filtered, or a label
            belongs to a case's last sample, behind which the filter would look.
    """
    data = made.recordings
    if data.kind == "tokens" or data.times is not None:
        raise Unusable("symbols" if data.kind == "tokens" else "samples at irregular times")
    if made.at_end:
        raise Unusable(
            "the label belongs to a window's last sample, and at this step the filter would look "
            "behind it"
        )
    up, down = ratio(1.0, step)
    needed = shortest_length(max(up, down), up=up)
    # a phase leaves out less than `down` samples
    shortest = int((data.lengths[made.recording] - made.first % down).min())
    if shortest < needed:
        raise Unusable(
            f"the filter needs {needed:,} samples, and the shortest recording has {shortest:,}"
        )
    return _cut(made, up, down)


def _cut(made: Cases, up: int, down: int) -> Iterator[np.ndarray]:
    done: dict[tuple[int, int], np.ndarray] = {}
    columns = (made.recording, made.first, made.cases.lengths)
    for i, first, n in zip(*(c.tolist() for c in columns), strict=True):
        phase = first % down
        if (i, phase) not in done:
            source = fill(made.recordings.sequences[i], np.nan)[phase:]
            done[i, phase] = fir_resample(source, up, down, axis=0)
        start = (first - phase) // down * up
        yield done[i, phase][start : start + (n - 1) * up // down + 1]
