"""The held scan as a plain loop: the specification."""

from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.held.torch_ import through
from timegrain.kernels.linear.reference import linear_scan_reference


def held_scan_reference(
    drive: Complex[Tensor, "b l p"],
    z: Complex[Tensor, " p"],
    steps: Float[Tensor, "#b l"],
    state: Complex[Tensor, "b p"],
) -> Complex[Tensor, "b l p"]:
    """Return the states, one time step after another."""
    return through(linear_scan_reference, drive, z, steps, state)
