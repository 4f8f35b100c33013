"""A time-invariant diagonal layer as kernels, in units of the training step."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Complex128, Float64

if TYPE_CHECKING:
    from timegrain.models.discretize import Discretization

Coefficients = Float64[np.ndarray, "out input lag"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Group:
    """Kernels `K_ij(r) = 2 Re sum_n weights_ijn rates_n exp(poles_n r)` of common poles.

    Args:
        outputs: Channels i that they lead to.
        inputs: Channels j that they come from.
        poles: Per training step.
        rates: `Delta` of each mode, `poles = lambda Delta`.
        weights: `C_in B_nj`.
    """

    outputs: tuple[int, ...]
    inputs: tuple[int, ...]
    poles: Complex128[np.ndarray, " mode"]
    rates: Float64[np.ndarray, " mode"]
    weights: Complex128[np.ndarray, "out input mode"]

    def answer(self, rule: "Discretization", tau: float, lags: int, *, late: bool) -> Coefficients:
        """Return what a rule makes of an impulse, at lags `0..lags-1`.

        Args:
            rule: The discretisation.
            tau: Step, in training steps.
            lags: How many.
            late: Of the weight of the sample that opens a step instead of the one that ends it.
        """
        import torch

        z, step = torch.from_numpy(self.poles * tau), torch.from_numpy(self.rates * tau)
        weigh = rule.before if late else rule.now
        if weigh is None:
            return np.zeros((*self.weights.shape[:2], lags))
        factor = weigh(z, step).numpy()
        powers = np.exp(rule.log_decay(z).numpy()[:, None] * np.arange(lags))
        return np.asarray(2 * ((self.weights * factor) @ powers).real)


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearSystem:
    """A time-invariant layer: `y_i(t) = sum_j integral K_ij(t - s) u_j(s) ds`.

    Args:
        channels: In and out.
        rule: Its discretisation.
        groups: Its kernels.
    """

    channels: int
    rule: "Discretization"
    groups: tuple[Group, ...]


def linear_system(layer: Any) -> LinearSystem | None:
    """Return the kernels of a layer in float64; None where it is none of S4D and S5.

    Args:
        layer: The layer, in float64.
    """
    from timegrain.models.discretize import DISCRETIZATIONS
    from timegrain.models.layers.s4d import S4D
    from timegrain.models.layers.s5 import S5

    if isinstance(layer, S4D):
        groups = tuple(_apart(layer))
        return LinearSystem(channels=layer.d_model, rule=layer.rule, groups=groups)
    if isinstance(layer, S5):
        rule = DISCRETIZATIONS[layer.discretization]
        return LinearSystem(channels=layer.d_model, rule=rule, groups=(_together(layer),))
    return None


def _apart(layer: Any) -> Iterator[Group]:
    steps, poles, C = (part.detach().numpy() for part in layer._system())
    for c, (step, lam, weight) in enumerate(zip(steps, poles, C, strict=True)):
        yield Group(
            outputs=(c,),
            inputs=(c,),
            poles=lam * step,
            rates=np.full(lam.shape, step),
            weights=weight[None, None],
        )


def _together(layer: Any) -> Group:
    import torch

    rates = layer.log_dt.detach().exp().numpy()
    B, C = (torch.view_as_complex(part.detach()).numpy() for part in (layer.B, layer.C))
    channels = tuple(range(layer.d_model))
    return Group(
        outputs=channels,
        inputs=channels,
        poles=layer.modes.detach().numpy() * rates,
        rates=rates,
        weights=C[:, None, :] * B.T[None],
    )
