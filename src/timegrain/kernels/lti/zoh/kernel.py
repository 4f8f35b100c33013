"""`zoh_kernel`, the door."""

import sys
from numbers import Real

import torch
from jaxtyping import Float
from torch import Tensor

from timegrain.core.errors import ConfigError
from timegrain.core.shown import shown
from timegrain.kernels.arguments import cast, check_axes, check_length, compute_dtype
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu
from timegrain.kernels.precision import full_precision

BACKENDS = (
    Backend(
        name="numba",
        target="timegrain.kernels.lti.powers.fused:zoh_kernel_numba",
        usable=compiled_on_cpu,
    ),
    Backend(name="torch", target="timegrain.kernels.lti.zoh.torch_:zoh_kernel_torch"),
    Backend(
        name="reference",
        target="timegrain.kernels.lti.zoh.torch_:zoh_kernel_reference",
        automatic=False,
    ),
)


def zoh_kernel(
    log_dt: Float[Tensor, " d"],
    log_decay: Float[Tensor, "d n"],
    frequency: Float[Tensor, "d n"],
    C: Float[Tensor, "d n 2"],
    length: int,
    *,
    ratio: float = 1.0,
    skip: Float[Tensor, " d"] | None = None,
    backend: str = "auto",
) -> Float[Tensor, "d {length}"]:
    r"""Return the impulse response of a diagonal state space with held inputs.

    It is `s4d_kernel` of the discretised modes without their graph: on short sequences those
    dozens of operations on small complex tensors are most of a layer's time.

    Args:
        log_dt: Logarithm of the time scale of each channel.
        log_decay: Logarithm of the rate at which each mode decays.
        frequency: Imaginary part of each mode.
        C: Output weights, real and imaginary part.
        length: Number of samples, >= 1.
        ratio: Step over the step in training, > 0.
        skip: Weight of the input in the output, added to the first sample.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` or `"reference"`.

    Returns:
        The real kernel `(d, length)`, with gradients to all tensors. Half precision is computed
        in float32.

    Raises:
        LayoutError: If a shape does not fit.
        ConfigError: If a tensor does not hold real floating-point numbers, `length` is outside
            `1..2^31 - 1`, or `ratio` is no positive, finite number.

    Math:
        :math:`K_l = 2\,\mathrm{Re}\sum_n C_n \frac{e^{\lambda_n\Delta} - 1}{\lambda_n}
        e^{\lambda_n\Delta l} + D [l = 0]`, `lambda = -exp(log_decay) + i frequency`,
        `Delta = ratio exp(log_dt)`.

    Source:
        Gu, Gupta, Goel and Ré, On the Parameterization and Initialization of Diagonal State Space
        Models (2022, arXiv 2206.11893), eq. (6) and (7).

    Example:
        >>> import torch
        >>> zero, one = torch.zeros(1, 1), torch.tensor([[[1.0, 0.0]]])
        >>> zoh_kernel(zero[0], zero, zero, one, 3)  # 2 (1 - 1/e) e^-l
        tensor([[1.2642, 0.4651, 0.1711]])
    """
    axes = {
        "log_dt": (log_dt, "d"),
        "log_decay": (log_decay, "d n"),
        "frequency": (frequency, "d n"),
        "C": (C, "d n two"),
        "skip": (skip, "d"),
    }
    check_axes("zoh_kernel", axes, optional=("skip",))
    check_parts("zoh_kernel", C)
    check_length("zoh_kernel", length)
    ratio = positive_ratio("zoh_kernel", ratio)
    tensors = {name: tensor for name, (tensor, _) in axes.items()}
    dtype = compute_dtype("zoh_kernel", tensors)
    run = choose("zoh_kernel", BACKENDS, backend, tensors)
    with full_precision(log_dt):
        kernel: Tensor = run(*cast(list(tensors.values()), dtype), ratio, length)
    return kernel


def positive_ratio(operation: str, ratio: object) -> float:
    """Return the ratio of steps as a float.

    Args:
        operation: The function's name, for the error's text.
        ratio: Step over the step in training.

    Raises:
        ConfigError: If it is no positive, finite number.
    """
    if torch.compiler.is_compiling():
        return ratio  # type: ignore[return-value]  # a symbol, perhaps
    real = isinstance(ratio, Real) and not isinstance(ratio, bool)
    # whole numbers and fractions may lie beyond both ends of floats
    number = float(ratio) if real and 0 < ratio <= sys.float_info.max else 0.0  # type: ignore
    if number > 0:
        return number
    raise ConfigError(
        f"{operation}() needs a ratio of steps",
        got=shown(ratio),
        expected="a positive, finite number",
    )


def check_parts(operation: str, C: Tensor) -> None:
    """Check that the output weights are pairs of numbers.

    Args:
        operation: The function's name, for the error's text.
        C: The weights.

    Raises:
        ConfigError: If they are not.
    """
    if C.shape[2] != 2:
        raise ConfigError(
            f"{operation}() needs the real and the imaginary part of C",
            got=f"shape {tuple(C.shape)}",
            expected="(d, n, 2)",
            hint="torch.view_as_real(C)",
        )
