"""Under which key the compiled sums are kept on disk."""

import numpy as np

from timegrain.kernels import lanes
from timegrain.kernels.cache_key import helpers
from timegrain.kernels.discontinuity import numba_ as spans
from timegrain.kernels.discontinuity.forest.neighbours import numba_ as steps
from timegrain.kernels.discontinuity.tile import numba_ as tile
from timegrain.kernels.discontinuity.tile.columns import numba_ as columns
from timegrain.kernels.discontinuity.tile.extent import numba_ as extent


def sources() -> np.ndarray:
    """Return the digest of every file that the compiled functions of others are made from."""
    return helpers(lanes, extent, columns, tile, spans, steps)
