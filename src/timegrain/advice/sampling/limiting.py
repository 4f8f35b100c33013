"""Which channel needs the rate most, for the label."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from timegrain.continuity.retention.result import LabelRetention
from timegrain.data.dataset import Dataset
from timegrain.resample.decimate import fir_decimate
from timegrain.resample.fir import shortest_length

MAX_CHANNELS = 12
NOTICEABLE = 0.01


@dataclass(frozen=True, kw_only=True)
class Limiting:
    """The channel whose own thinning costs most.

    Args:
        channel: Its name.
        loss: What it costs, in units of the score; positive is worse.
    """

    channel: str
    loss: float


def limiting_channel(
    data: Dataset,
    measure: Callable[[Dataset, str], LabelRetention],
    stride: int,
    *,
    at_end: bool,
) -> Limiting | None:
    """Return the channel that loses most when it alone is redrawn from every `stride`-th sample.

    Args:
        data: Real recordings; where the label belongs to a window's last sample, the windows.
        measure: Returns the retention of a dataset in which the named channel was redrawn, or an
            empty name for none; its score at stride 1 is read.
        stride: The stride at which a channel is redrawn by straight lines.
        at_end: Each sequence is redrawn back from its last sample, without a filter.

    Returns:
        None if there is one channel or more than twelve, or none costs a hundredth of the skill.
    """
    if not 1 < data.n_channels <= MAX_CHANNELS or data.kind == "tokens":
        return None
    names = data.channel_names or tuple(str(i) for i in range(data.n_channels))
    whole = measure(data, "")
    better = 1 if whole.perfect_score > whole.trivial_score else -1
    losses = []
    for channel, name in enumerate(names):
        found = measure(redrawn(data, channel, stride, at_end=at_end), name)
        losses.append(better * (whole.score - found.score))
    worst = int(np.argmax(losses))
    if losses[worst] < NOTICEABLE * abs(whole.perfect_score - whole.trivial_score):
        return None
    return Limiting(channel=names[worst], loss=float(losses[worst]))


def redrawn(data: Dataset, channel: int, stride: int, *, at_end: bool = False) -> Dataset:
    """Return the data with one channel redrawn by lines between its every `stride`-th sample.

    Where the recordings are long enough for the filter, uniform and complete, the channel is
    filtered first, as a slower converter would.

    Args:
        data: Real recordings.
        channel: Which.
        stride: Whole number >= 1; beyond the outer kept samples the line stays level.
        at_end: Keep the last sample in the place of the first, and do not filter: nothing that
            comes after a sequence may be seen in it.

    Example:
        >>> ramp = Dataset(name="x", sequences=(np.array([[0.0], [5.0], [2.0], [3.0]]),))
        >>> redrawn(ramp, 0, 2).sequences[0][:, 0].tolist()
        [0.0, 1.0, 2.0, 2.0]
        >>> redrawn(ramp, 0, 2, at_end=True).sequences[0][:, 0].tolist()
        [5.0, 5.0, 4.0, 3.0]
    """
    filtered = (
        not at_end
        and data.times is None
        and int(data.lengths.min()) >= shortest_length(stride)
        and not any(np.isnan(s[:, channel]).any() for s in data.sequences)
    )
    out = []
    for index, sequence in enumerate(data.sequences):
        at = np.arange(len(sequence)) if data.times is None else data.times[index]
        first = (len(sequence) - 1) % stride if at_end else 0
        own = sequence[:, channel].astype(np.float64, copy=False)
        slow = fir_decimate(own, stride, axis=0) if filtered else own[first::stride]
        changed = sequence.astype(np.float64)
        changed[:, channel] = np.interp(at, at[first::stride], slow)
        out.append(changed)
    return replace(data, sequences=tuple(out))
