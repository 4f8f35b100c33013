"""The vector field of each state space layer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ModelError

if TYPE_CHECKING:
    import torch

    from timegrain.models.layers.s4 import S4
    from timegrain.models.layers.s4d import S4D
    from timegrain.models.layers.s5 import S5
    from timegrain.models.layers.s6 import S6

Sample = Float64[np.ndarray, " channel"]


@dataclass(frozen=True, kw_only=True)
class VectorField:
    """`x' = rate(x, u)`, `y = read(x, u)`, from `x = 0`; time counts steps of the training grid.

    Args:
        shape: Of the state.
        complex: Whether it is complex.
        rate: From the state and one sample of the input to the state's derivative.
        read: From the same to the output, `(channel,)`.
        linear: Whether the output is linear in the input.
    """

    shape: tuple[int, ...]
    complex: bool
    rate: Callable[[np.ndarray, Sample], np.ndarray]
    read: Callable[[np.ndarray, Sample], Sample]
    linear: bool = True


def vector_field(layer: "torch.nn.Module") -> VectorField:
    r"""Return the differential equation that a layer discretises, whatever its rule.

    Args:
        layer: S4, S4D, S5 or S6.

    Raises:
        ModelError: If it is another one.

    Math:
        With one of each pair of conjugate states, and `Delta` per channel (S5: per state):
        S4D `x' = Delta (lambda x + u)`; S4 `x' = Delta (Lambda x - 2 P Re(P* x) + B u)`;
        S5 `x' = Delta (lambda x + B u)`; each read by `2 Re(C x)`.
        S6 `h' = Delta(u) (A h + B(u) u)`, `y = C(u) h`. Each adds `D u` where it has a D.
    """
    from timegrain.models.layers.s4 import S4
    from timegrain.models.layers.s4d import S4D
    from timegrain.models.layers.s5 import S5
    from timegrain.models.layers.s6 import S6

    if isinstance(layer, S4):
        return _s4(layer)
    if isinstance(layer, S4D):
        return _s4d(layer)
    if isinstance(layer, S5):
        return _s5(layer)
    if isinstance(layer, S6):
        return _s6(layer)
    raise ModelError(
        f"no differential equation is known of {type(layer).__name__}",
        expected="S4, S4D, S5 or S6 alone",
        hint="model_continuity(model), which needs none",
    )


def _s4(layer: "S4") -> VectorField:
    dt, poles, P, B, C = (_array(w) for w in layer._system())
    skip = _skip(layer)

    def rate(x: np.ndarray, u: Sample) -> np.ndarray:
        across = 2 * (P.conj() * x).sum(-1, keepdims=True).real
        out: np.ndarray = dt[:, None] * (poles * x - P * across + B * u[:, None])
        return out

    return VectorField(
        shape=poles.shape,
        complex=True,
        rate=rate,
        read=lambda x, u: 2 * (C * x).sum(-1).real + skip * u,
    )


def _s4d(layer: "S4D") -> VectorField:
    dt, poles, C = (_array(w) for w in layer._system())
    skip = _skip(layer)
    return VectorField(
        shape=poles.shape,
        complex=True,
        rate=lambda x, u: dt[:, None] * (poles * x + u[:, None]),
        read=lambda x, u: 2 * (C * x).sum(-1).real + skip * u,
    )


def _s5(layer: "S5") -> VectorField:
    import torch

    dt, poles = _array(layer.log_dt.exp()), _array(layer.modes)
    B, C = (_array(torch.view_as_complex(w)) for w in (layer.B, layer.C))
    skip = _skip(layer)
    return VectorField(
        shape=poles.shape,
        complex=True,
        rate=lambda x, u: dt * (poles * x + B @ u),
        read=lambda x, u: 2 * (C @ x).real + skip * u,
    )


def _s6(layer: "S6") -> VectorField:
    import torch

    poles, skip = _array(layer.A), _skip(layer)

    def select(u: Sample) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        sample = torch.from_numpy(u).to(layer.x_proj.weight.dtype)
        with torch.no_grad():
            delta, B, C = (_array(part) for part in layer.select(sample))
        return delta, B, C

    def rate(h: np.ndarray, u: Sample) -> np.ndarray:
        delta, B, _ = select(u)
        out: np.ndarray = delta[:, None] * (poles * h + B * u[:, None])
        return out

    return VectorField(
        shape=poles.shape,
        complex=False,
        rate=rate,
        read=lambda h, u: (h * select(u)[2]).sum(-1) + skip * u,
        linear=False,
    )


def _skip(layer: Any) -> np.ndarray:
    return np.zeros(1) if layer.D is None else _array(layer.D)


def _array(weights: "torch.Tensor") -> np.ndarray:
    values: np.ndarray = weights.detach().cpu().numpy()
    return values.astype(np.complex128 if np.iscomplexobj(values) else np.float64)
