"""A vector type for numba kernels: 64 bytes of neighbouring channels worked on as one value.

Left to itself, LLVM's loop vectoriser gives up on loops that touch many arrays (it must first prove
that they do not overlap). Here the vector is in the type, so the code is vectorised on every
machine: one AVX-512 register, two of AVX2, four of NEON or SSE.

`memory` reads and writes such vectors, `arithmetic` computes with them; both are called from
compiled code only.
"""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import models, register_model

LANE_BYTES = 64
ELEMENTS = {types.float32: ir.FloatType(), types.float64: ir.DoubleType()}


def lane_count(dtype: np.dtype) -> int:
    """Return how many numbers of `dtype` (float32 or float64) one vector holds.

    Example:
        >>> import numpy as np
        >>> lane_count(np.dtype("float32")), lane_count(np.dtype("float64"))
        (16, 8)
    """
    return LANE_BYTES // np.dtype(dtype).itemsize


class Lanes(types.Type):
    """The numba type of one vector of `dtype` numbers, or of `parts` of them side by side."""

    def __init__(self, dtype: Any, parts: int = 1) -> None:
        self.dtype = dtype
        self.parts = parts
        self.count = parts * LANE_BYTES * 8 // dtype.bitwidth
        super().__init__(name=f"Lanes({dtype} x {self.count})")


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """How a vector lies in memory: as the LLVM vector of the same size."""

    def __init__(self, dmm: Any, fe_type: Lanes) -> None:
        super().__init__(dmm, fe_type, vector_type(fe_type))


def vector_type(lanes: Lanes) -> Any:
    """Return the LLVM type of a vector."""
    return ir.VectorType(ELEMENTS[lanes.dtype], lanes.count)
