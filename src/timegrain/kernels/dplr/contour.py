"""The circle on which the generating function of a kernel is sampled."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Complex128, Float64

from timegrain.kernels.fft_size import fft_size


class Contour(NamedTuple):
    """Half of a circle `|z| = r < 1`, in the right half-plane that the bilinear rule maps it to.

    Args:
        size: Points on the whole circle, M.
        nodes: `g = 2 (1 - z) / (1 + z)` for `z = r exp(-2 pi i j / M)`, `j = 0..M/2`.
        front: `2 / (1 + z)` there.
        growth: `r^-l` for `l < length`.
    """

    size: int
    nodes: Complex128[np.ndarray, " half"]
    front: Complex128[np.ndarray, " half"]
    growth: Float64[np.ndarray, " length"]


@lru_cache(maxsize=16)
def contour(length: int, double: bool) -> Contour:
    """Return the circle for a kernel of `length` samples, in double precision.

    It is kept as arrays: a tensor made under `torch.inference_mode` is of no use to gradients.
    A transform of M samples folds sample `l + M` onto sample l, which the circle's radius weakens
    by `r^M`; in return rounding grows by `r^-length`. Both stay below 1e-9 of the kernel's largest
    values with `M = 2 length`, `r^M = 1e-10`, and near rounding with `M = 8 length`,
    `r^M = 1e-15`.

    Args:
        length: Samples of the kernel.
        double: Whether the kernel is wanted to double precision.
    """
    size = fft_size((8 if double else 2) * length)
    sigma = -math.log(1e-15 if double else 1e-10) / size
    j = np.arange(size // 2 + 1)
    # 1 - z and 1 + z without cancellation, where z is near 1 and near -1
    below = _one_minus(sigma, 2 * math.pi * j / size)
    above = _one_minus(sigma, 2 * math.pi * (j - size / 2) / size)
    return Contour(size, 2 * below / above, 2 / above, np.exp(sigma * np.arange(length)))


def _one_minus(sigma: float, angle: np.ndarray) -> np.ndarray:
    """Return `1 - exp(-sigma - i angle)`."""
    shrunk = math.exp(-sigma)
    real = -math.expm1(-sigma) + shrunk * 2 * np.sin(angle / 2) ** 2
    return real + 1j * shrunk * np.sin(angle)
