"""`matrix_step`, the matrix scan for one sample at a time."""

from jaxtyping import Float
from torch import Tensor

from timegrain.kernels.arguments import back_to_half, cast
from timegrain.kernels.matrix.heads import check_heads
from timegrain.kernels.matrix.update import update
from timegrain.kernels.precision import full_precision


def matrix_step(
    q_t: Float[Tensor, "b g i"],
    k_t: Float[Tensor, "b g i"],
    v_t: Float[Tensor, "b h j"],
    state: Float[Tensor, "b h i j"],
    *,
    log_gate: Float[Tensor, "b h"] | Float[Tensor, "b h i"] | None = None,
    beta: Float[Tensor, "b h"] | None = None,
) -> tuple[Float[Tensor, "b h j"], Float[Tensor, "b h i j"]]:
    """Return y and the state after one more sample, as `matrix_scan` gives them.

    Args:
        q_t: What reads, `(b, g, i)`; the groups g divide the heads h.
        k_t: What is written to, `(b, g, i)`.
        v_t: What is written, `(b, h, j)`.
        state: State before the sample, `(b, h, i, j)`; zeros at first.
        log_gate: Logarithm of what is kept, `(b, h)` or `(b, h, i)`; absent: all is.
        beta: Strength of the delta rule, `(b, h)`; absent: v is added.

    Raises:
        LayoutError: If a shape does not fit; the text names the argument.
        ConfigError: If an argument does not hold real floating-point numbers.

    Source:
        As of `matrix_scan`.

    Example:
        >>> import torch
        >>> one, state = torch.ones(1, 1, 1), torch.full((1, 1, 1, 1), 3.0)
        >>> y, state = matrix_step(one, one, 5 * one, state, beta=torch.full((1, 1), 0.5))
        >>> y.item(), state.item()
        (4.0, 4.0)
    """
    tensors = {
        "q_t": q_t,
        "k_t": k_t,
        "v_t": v_t,
        "log_gate": log_gate,
        "beta": beta,
        "state": state,
    }
    _, dtype = check_heads("matrix_step", tensors, sequence="b")
    with full_precision(v_t):
        y, after = update(*cast(list(tensors.values()), dtype))  # type: ignore[arg-type]
    return back_to_half(y, v_t), after
