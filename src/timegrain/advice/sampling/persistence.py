"""The forecast that nothing changes."""

import numpy as np

from timegrain.core.errors import ConfigError
from timegrain.data.dataset import Dataset
from timegrain.data.windows import find_windows
from timegrain.stats.scores.metric import metrics


def persistence(
    data: Dataset, *, window: int, hop: int | None, ahead: int, target: str | None, metric: str
) -> float | None:
    """Return the score of a window's last value as the forecast.

    Args:
        data: Real recordings.
        window: Samples a window.
        hop: From one window to the next.
        ahead: Samples to the value that is forecast.
        target: Its channel, where there are several.
        metric: `r2` or `mae`; None is returned for scores of classes.

    Returns:
        None where what is forecast is no channel of the data.

    Example:
        >>> ramp = Dataset(name="ramp", sequences=(np.arange(50.0)[:, None],))
        >>> persistence(ramp, window=4, hop=1, ahead=3, target=None, metric="mae")
        3.0
    """
    if metric not in ("r2", "mae") or (data.targets is not None and target is None):
        return None
    names = data.channel_names or tuple(str(i) for i in range(data.n_channels))
    if target is not None and target not in names:
        raise ConfigError("no such channel", got=target, expected=", ".join(names))
    channel = 0 if target is None else names.index(target)
    places = find_windows(data, window=window, hop=hop, ahead=ahead, target=target)
    if places.labels is None:
        return None
    last = [
        data.sequences[i][s + window - 1, channel]
        for i, s in zip(places.recording.tolist(), places.first.tolist(), strict=True)
    ]
    known = ~np.isnan(last)
    return float(metrics[metric].score(places.labels[known], np.array(last)[known]))
