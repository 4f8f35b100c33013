"""`matrix_scan`, the door: checks, one dtype, and the backend."""

from typing import Literal, overload

from jaxtyping import Float
from torch import Tensor

from timegrain.core.errors import ConfigError
from timegrain.core.shown import shown
from timegrain.kernels.arguments import back_to_half, cast, check_flag
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu
from timegrain.kernels.matrix.heads import check_heads
from timegrain.kernels.precision import full_precision

_PLACE = "timegrain.kernels.matrix"
BACKENDS = (
    Backend(name="numba", target=f"{_PLACE}.fused:matrix_scan_numba", usable=compiled_on_cpu),
    Backend(name="torch", target=f"{_PLACE}.torch_:matrix_scan_torch"),
    Backend(name="reference", target=f"{_PLACE}.reference:matrix_scan_reference", automatic=False),
)


@overload
def matrix_scan(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    log_gate: Tensor | None = None,
    beta: Tensor | None = None,
    initial_state: Tensor | None = None,
    return_state: Literal[False] = False,
    chunk: int = 64,
    backend: str = "auto",
) -> Tensor: ...
@overload
def matrix_scan(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    log_gate: Tensor | None = None,
    beta: Tensor | None = None,
    initial_state: Tensor | None = None,
    return_state: Literal[True],
    chunk: int = 64,
    backend: str = "auto",
) -> tuple[Tensor, Tensor]: ...
def matrix_scan(
    q: Float[Tensor, "b l g i"],
    k: Float[Tensor, "b l g i"],
    v: Float[Tensor, "b l h j"],
    *,
    log_gate: Float[Tensor, "b l h"] | Float[Tensor, "b l h i"] | None = None,
    beta: Float[Tensor, "b l h"] | None = None,
    initial_state: Float[Tensor, "b h i j"] | None = None,
    return_state: bool = False,
    chunk: int = 64,
    backend: str = "auto",
) -> Float[Tensor, "b l h j"] | tuple[Float[Tensor, "b l h j"], Float[Tensor, "b h i j"]]:
    r"""Scan a state that is a matrix per head: written with keys, read with queries.

    Which layer it is depends on what is given: nothing (linear attention), `log_gate` a head
    (Mamba-2, SSD) or a head and key channel (gated linear attention), `beta` (DeltaNet), `beta` and
    a gate a head (Gated DeltaNet) or a key channel (Kimi delta attention). There is no
    normaliser, no scale of q and no unit length of k: those are the layer's. Sample k is in `y_k`.
    Note the layout: time before heads.

    Args:
        q: What reads, `(b, l, g, i)`. The groups g divide the heads h: head `n` of v belongs to
            group `n // (h / g)`, as B and C of Mamba-2 do.
        k: What is written to, `(b, l, g, i)`.
        v: What is written, `(b, l, h, j)`.
        log_gate: Logarithm of what is kept from sample to sample, `(b, l, h)` or `(b, l, h, i)`,
            <= 0, which is not checked; `-inf` forgets exactly. Absent: all is kept.
        beta: Strength of the delta rule, `(b, l, h)`: the part of what k reads that v takes the
            place of, where k is of unit length. Absent: v is added.
        initial_state: State before the first sample, `(b, h, i, j)`; zero if absent.
        return_state: Also return the state after the last sample.
        chunk: A power of 2: samples whose products the torch form takes at once, and the most
            between the states that the compiled loops keep for the backward pass.
        backend: `"auto"`, `"numba"` (CPU), `"torch"` (any device, differentiable twice, needed
            under `torch.func`), or `"reference"` (a plain loop).

    Returns:
        y of shape `(b, l, h, j)`; with `return_state` also the last state `(b, h, i, j)`. Both
        carry gradients to every tensor argument. Half precision is computed in float32: y comes
        back in the dtype of v, the state stays float32.

    Raises:
        LayoutError: If a shape does not fit; the text names the argument.
        ConfigError: If an option or dtype is outside its domain, or the backend cannot run.

    Math:
        .. math::
            S_t = D_t S_{t-1} + k_t u_t', \qquad y_t = S_t' q_t,

        with :math:`D_t = e^{\text{log\_gate}_t}`, diagonal, and :math:`u_t = v_t`, or
        :math:`u_t = \beta_t (v_t - (D_t S_{t-1})' k_t)` with `beta`; for a gate a head that is
        :math:`S_t = e^{\text{log\_gate}_t} (I - \beta_t k_t k_t') S_{t-1} + \beta_t k_t v_t'`.

    Source:
        Katharopoulos, Vyas, Pappas and Fleuret, Transformers are RNNs (2020, arXiv 2006.16236);
        Dao and Gu, Transformers are SSMs (2024, arXiv 2405.21060); Yang, Wang, Shen, Panda and Kim,
        Gated Linear Attention Transformers with Hardware-Efficient Training (2023, arXiv
        2312.06635); Yang, Wang, Zhang, Shen and Kim, Parallelizing Linear Transformers with the
        Delta Rule over Sequence Length (2024, arXiv 2406.06484); Yang, Kautz and Hatamizadeh, Gated
        Delta Networks (2024, arXiv 2412.06464).

    Example:
        >>> import torch
        >>> one, v = torch.ones(1, 3, 1, 1), torch.tensor([2.0, 4.0, 6.0]).view(1, 3, 1, 1)
        >>> matrix_scan(one, one, v).flatten()
        tensor([ 2.,  6., 12.])
        >>> matrix_scan(one, one, v, beta=torch.full((1, 3, 1), 0.5)).flatten()
        tensor([1.0000, 2.5000, 4.2500])
    """
    tensors = {
        "q": q,
        "k": k,
        "v": v,
        "log_gate": log_gate,
        "beta": beta,
        "initial_state": initial_state,
    }
    sizes, dtype = check_heads("matrix_scan", tensors, sequence="b l")
    check_flag("matrix_scan", "return_state", return_state)
    if isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1 or chunk & (chunk - 1):
        raise ConfigError(
            "matrix_scan() needs a power of 2 for chunk",
            got=shown(chunk),
            expected="1, 2, 4, ..., 64, 128, ...",
        )
    run = choose("matrix_scan", BACKENDS, backend, tensors)
    *inputs, state = cast(list(tensors.values()), dtype)
    if state is None:
        state = v.new_zeros((), dtype=dtype).expand(*(sizes[axis] for axis in "bhij"))
    with full_precision(v):
        y, state = run(*inputs, state, chunk)
    y = back_to_half(y, v)
    return (y, state) if return_state else y
