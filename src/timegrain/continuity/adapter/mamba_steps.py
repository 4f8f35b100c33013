r"""The step of the Mambas of transformers, told without touching their code.

All compute `h_k = exp(A Delta_k) h_{k-1} + Delta_k B_k u_k`, `y_k = C_k h_k + D u_k`, with
`Delta = softplus(.)`. They see the step in products alone, so that `Delta -> tau Delta` is
`A -> tau A` with `B -> tau B`:

- Mamba: `A = -exp(A_log)`, and B is a part of the rows of `x_proj`, which has no bias.
- Mamba-2: B comes out of a non-linearity, but y goes through a norm, `z / sqrt(mean z^2 + eps)`.
  `B -> tau B` turns `y = C h + D u` into `tau C h + D u = tau (C h + (D / tau) u)`, and the norm
  sees no factor: B stays, `D -> D / tau` and `eps -> eps / tau^2`.
- Falcon Mamba: B comes out of a norm, and y goes through a gate and a projection, both linear: B
  stays, `D -> D / tau`, and the weights of the projection are multiplied by tau.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any


def mamba_step(model: Any, tau: float) -> AbstractContextManager[None]:
    """Return a context in which `Delta` of a `MambaModel` of transformers is `tau Delta`.

    Args:
        model: The network.
        tau: `dt / dt_trained`.

    Source:
        Gu, Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces (2023, arXiv
        2312.00752), algorithm 2 and eq. (2a); B by Euler as in its code.
    """
    return _scaled(model, tau, _mamba_mixer)


def mamba2_step(model: Any, tau: float) -> AbstractContextManager[None]:
    """Return a context in which `Delta` of a `Mamba2Model` of transformers is `tau Delta`.

    Args:
        model: The network.
        tau: `dt / dt_trained`.

    Source:
        Dao, Gu, Transformers are SSMs (2024, arXiv 2405.21060), section 7 and listing 1.
    """
    return _scaled(model, tau, _mamba2_mixer)


def falcon_mamba_step(model: Any, tau: float) -> AbstractContextManager[None]:
    """Return a context in which `Delta` of a `FalconMambaModel` of transformers is `tau Delta`.

    Args:
        model: The network.
        tau: `dt / dt_trained`.

    Source:
        Zuo et al., Falcon Mamba (2024, arXiv 2410.05355): Mamba with norms of B, C and Delta.
    """
    return _scaled(model, tau, _falcon_mixer)


STEPS: dict[str, Callable[[Any, float], AbstractContextManager[None]]] = {
    "mamba": mamba_step,
    "mamba2": mamba2_step,
    "falcon_mamba": falcon_mamba_step,
}


@contextmanager
def _scaled(
    model: Any, tau: float, change: Callable[[Any, float], list[tuple[Any, Any]]]
) -> Iterator[None]:
    import torch

    mixers = [m for m in model.modules() if hasattr(m, "A_log")]
    with torch.no_grad(), ExitStack() as stack:
        for mixer in mixers:
            for tensor, scaled in change(mixer, tau):
                stack.callback(tensor.copy_, tensor.clone())
                tensor.copy_(scaled)
            norm = getattr(mixer, "norm", None)
            if norm is not None:
                stack.callback(setattr, norm, "variance_epsilon", norm.variance_epsilon)
                norm.variance_epsilon /= tau**2
        yield


def _mamba_mixer(mixer: Any, tau: float) -> list[tuple[Any, Any]]:
    rank, states = mixer.time_step_rank, mixer.ssm_state_size
    rows = mixer.x_proj.weight[rank : rank + states]
    return [(mixer.A_log, mixer.A_log + math.log(tau)), (rows, rows * tau)]


def _mamba2_mixer(mixer: Any, tau: float) -> list[tuple[Any, Any]]:
    return [(mixer.A_log, mixer.A_log + math.log(tau)), (mixer.D, mixer.D / tau)]


def _falcon_mixer(mixer: Any, tau: float) -> list[tuple[Any, Any]]:
    out = mixer.out_proj.weight
    return [*_mamba2_mixer(mixer, tau), (out, out * tau)]
