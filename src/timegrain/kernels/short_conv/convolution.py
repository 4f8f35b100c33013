"""`short_convolution`, the door: checks, one dtype, and the backend."""

from jaxtyping import Float
from torch import Tensor

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.kernels.arguments import back_to_half, cast, check_axes, compute_dtype
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu

_PLACE = "timegrain.kernels.short_conv"
BACKENDS = (
    Backend(name="numba", target=f"{_PLACE}.fused:short_conv_numba", usable=compiled_on_cpu),
    Backend(name="torch", target=f"{_PLACE}.torch_:short_conv_torch"),
    Backend(name="reference", target=f"{_PLACE}.reference:short_conv_reference", automatic=False),
)


def short_convolution(
    u: Float[Tensor, "b l d"],
    weight: Float[Tensor, "d k"],
    bias: Float[Tensor, " d"] | None = None,
    *,
    activation: str | None = None,
    before: Float[Tensor, "b m d"] | None = None,
    backend: str = "auto",
) -> Float[Tensor, "b l d"]:
    r"""Filter each channel over its last k samples.

    A filter of samples knows no time: on a finer grid it reaches less far.

    Args:
        u: Input, `(b, l, d)`; Mamba's own layout is `(b, d, l)`.
        weight: Of each channel, `(d, k)`, the sample itself last, as in a `torch.nn.Conv1d`.
        bias: `(d,)`.
        activation: `"silu"` for `y = a sigmoid(a)`; None for the sum itself.
        before: The k - 1 samples before the first, `(b, k - 1, d)`; zeros if absent.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` (any device, differentiable twice, needed
            under `torch.func`), or `"reference"` (a plain loop).

    Returns:
        y of shape `(b, l, d)`, in the dtype of u; half precision is computed in float32.

    Raises:
        LayoutError: If a shape does not fit; the text names the argument.
        ConfigError: If an option or dtype is outside its domain, or the backend cannot run.

    Math:
        :math:`a_t = b + \sum_{j=0}^{k-1} w_j u_{t-k+1+j}`.

    Source:
        Gu and Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023, arXiv
        2312.00752), section 3.4, for its place before the selective scan.

    Example:
        >>> import torch
        >>> u = torch.tensor([1.0, 2.0, 4.0]).view(1, 3, 1)
        >>> short_convolution(u, torch.tensor([[10.0, 1.0]])).flatten()
        tensor([ 1., 12., 24.])
    """
    if activation not in (None, "silu"):
        raise ConfigError(
            "short_convolution() does not know this activation",
            got=repr(activation),
            expected="'silu' or None",
        )
    axes = {
        "u": (u, "b l d"),
        "weight": (weight, "d k"),
        "bias": (bias, "d"),
    }
    check_axes("short_convolution", axes, optional=("bias",))
    _check_before(u, weight, before)
    tensors = {**{name: tensor for name, (tensor, _) in axes.items()}, "before": before}
    dtype = compute_dtype("short_convolution", tensors)
    run = choose("short_convolution", BACKENDS, backend, tensors)
    y: Tensor = run(*cast(list(tensors.values()), dtype), activation == "silu")
    return back_to_half(y, u)


def _check_before(u: Tensor, weight: Tensor, before: Tensor | None) -> None:
    """Check the samples before the first, of which there are none for a filter of one sample."""
    if before is None:
        return
    expected = (u.shape[0], weight.shape[1] - 1, u.shape[2])
    if not isinstance(before, Tensor) or tuple(before.shape) != expected:
        shape = tuple(before.shape) if isinstance(before, Tensor) else type(before).__name__
        raise LayoutError(
            "short_convolution() needs the samples that its filter reaches back to",
            got=f"before of shape {shape}",
            expected=expected,
        )
    if before.device != u.device:
        raise ConfigError(
            "short_convolution() needs all tensors on one device",
            got=f"before on {before.device}",
            expected=u.device,
        )
