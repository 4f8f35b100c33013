"""From curves to pixels."""

from itertools import pairwise

import numpy as np
from jaxtyping import Float64

from timegrain.data.symbolic.pathfinder.picture import Picture
from timegrain.data.symbolic.pathfinder.room import distances
from timegrain.data.symbolic.pathfinder.setting import Setting


def paint(picture: Picture, setting: Setting) -> Float64[np.ndarray, "row column"]:
    """Return the pixels of a picture, 0 to 1 in steps of 1/255.

    A pixel is as bright as far as it is covered, taken from the distance `d` of its middle to the
    dash or the disc: `clip(1/2 + r - d, 0, 1)` with `r` half the thickness, or the radius.

    Args:
        picture: Its curves.
        setting: Its measures.
    """
    image = np.zeros((setting.side, setting.side))
    for curve in picture.curves:
        for a, b in pairwise(curve):
            free = picture.margin * (b - a) / np.hypot(*(b - a))
            _brush(image, a + free, b - free, setting.thickness / 2, setting.brightness)
    for mark in picture.marks:
        _brush(image, mark, mark, setting.mark, 1.0)
    return np.round(255 * image) / 255


def _brush(
    image: Float64[np.ndarray, "row column"],
    a: Float64[np.ndarray, "2"],
    b: Float64[np.ndarray, "2"],
    radius: float,
    brightness: float,
) -> None:
    low = np.maximum(np.floor(np.minimum(a, b) - radius - 1), 0).astype(int)
    high = np.minimum(np.ceil(np.maximum(a, b) + radius + 1), len(image)).astype(int)
    x, y = (np.arange(low[k], high[k]) + 0.5 for k in (0, 1))
    gone = distances(x[None, :], y[:, None], (float(a[0]), float(a[1])), (float(b[0]), float(b[1])))
    seen = image[low[1] : high[1], low[0] : high[0]]
    np.maximum(seen, brightness * np.clip(0.5 + radius - gone, 0.0, 1.0), out=seen)
