"""`certify`: bound what a layer's samples cost, before anything is measured."""

import copy
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from timegrain.continuity.certificate.linear_bound import Bound, linear_bound
from timegrain.continuity.certificate.linear_system import LinearSystem, linear_system
from timegrain.continuity.certificate.problem import Problem, read_problem
from timegrain.continuity.certificate.result import BoundRow, Certificate
from timegrain.continuity.certificate.selective_bound import selective_bound
from timegrain.continuity.model.adapters import to_double
from timegrain.continuity.remedies.cures import is_cured
from timegrain.core.errors import ConfigError, LayoutError, ModelError
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.core.shown import shown

if TYPE_CHECKING:
    import torch

THEOREMS = {
    "zoh": "held input: modulus of continuity times the integral of |K|",
    "foh": "lines between samples: their largest miss times the integral of |K|",
}
SELECTIVE = (
    "held steps and drives: |e| follows the moduli of Delta and of B u through exp(-|lambda| Delta)"
)
BY_RULE = ", and the rule's distance from exact integration times sup |u|"
ROUNDING = (
    "The bound is of exact arithmetic: rounding of the layer, 1e-16 a step in float64 and 1e-7 in "
    "float32, comes on top."
)
ESTIMATED = (
    "The moduli are estimates, so the bound holds if they do: declare slope= (and curvature=) to "
    "have it proved."
)


def certify(
    layer: Any,
    signal: Any,
    *,
    dt: float = 1.0,
    length: int = 64,
    taus: Sequence[float] = (1.0,),
    slope: Any = None,
    curvature: Any = None,
) -> Certificate:
    r"""Bound the error that a layer makes on a signal because it sees samples of it.

    The error is that of the layer's outputs `y_k` at its samples against the outputs `y(t_k)` of
    the same system in continuous time, at rest at the first sample and driven by the signal itself.

    Args:
        layer: An `S4D` or `S5`, with any discretisation, or an `S6` with either. Copied to float64.
        signal: A function of times `(time,)` to `(time,)`, `(time, channel)` or
            `(batch, time, channel)`; an array or tensor of one of these shapes, which stands for
            the lines between its samples; or a `Signal`, whose grid then gives dt and length. A
            bound holds for every sequence of a batch.
        dt: Time of a training step, at which tau = 1.
        length: Samples at tau = 1, which span the window.
        taus: Steps of the layer, `dt / dt_trained`.
        slope: A bound of `|u'|`, a number or one a channel, for a proof. Without one the moduli of
            a function are estimated on a grid 4 to 32 times finer than the samples.
        curvature: A bound of `|u''|`, which `foh` and `trapezoidal` turn into one of order 2.

    Returns:
        The bounds; outcome `CERTIFIED` where they are proved, `CONDITIONAL` where moduli are
        estimates.

    Raises:
        ModelError: If there is no theorem for the layer.
        ConfigError: If an option is outside its domain.
        LayoutError: If the signal cannot be read, or has other channels than the layer.
        DataError: If it has gaps, or exceeds its declared slope or curvature.
        GridError: If a step leaves less than two samples.

    Math:
        `K_ij` from input j to output i, `w_j(h) = sup |u_j(t) - u_j(s)|` for `|t - s| <= h`, and
        `h = tau dt`. Held input: `|y_k - y(t_k)|_i <= sum_j max(w_j(h), |u_j(t_0)|) int |K_ij|`.
        S6, `h' = Delta (lambda h + b)`, `b = B u`, for each state:
        `|e(t)| <= T (w_Delta (|lambda| sup|h| + sup|b|) + sup Delta w_b)`,
        `T = int exp(-|lambda| int_s^t Delta) ds`, and sharper step by step.

    Source:
        `docs/theory/certificates.md` has every theorem with its assumptions and proof.

    Example:
        >>> from timegrain.models import build_layer
        >>> layer = build_layer("s4d", d_model=1, n_pairs=2, seed=0)
        >>> found = certify(layer, lambda t: np.sin(0.1 * t), slope=0.1, taus=(1.0, 0.5))
        >>> found.outcome.name, round(found.bound(0.5) / found.bound(1.0), 2)
        ('CERTIFIED', 0.5)
    """
    steps = _checked(taus)
    problem = read_problem(
        signal, dt=dt, length=length, taus=steps, slope=slope, curvature=curvature
    )
    own = _own(layer, problem.signal.values.shape[2])
    system = linear_system(own)
    if system is None and not _selective(own):
        raise _unknown(layer)
    rows = [row for tau in steps for row in _rows(own, system, problem, tau)]
    proved, grid = problem.moduli.proved, problem.signal.grid
    return Certificate(
        name=f"{type(layer).__name__} on {problem.signal.name.replace('<lambda>', 'function')}",
        outcome=Outcome.CERTIFIED if proved else Outcome.CONDITIONAL,
        provenance=Provenance.collect(parameters=_asked(problem, steps, slope, curvature)),
        notes=(ROUNDING,) if proved else (ESTIMATED, ROUNDING),
        theorem=_theorem(own, system),
        dt=grid.dt,
        unit=grid.unit,
        window=grid.duration,
        proved=proved,
        moduli=problem.moduli.source,
        bounds=tuple(rows),
    )


def _rows(
    own: "torch.nn.Module", system: LinearSystem | None, problem: Problem, tau: float
) -> list[BoundRow]:
    """Return the rows of one step."""
    import torch

    samples = problem.sampled(tau)
    dt = problem.signal.grid.dt
    if system is None:
        bound: Bound = selective_bound(own, problem.moduli, samples, dt=dt, tau=tau)
    else:
        bound = linear_bound(system, problem.moduli, samples, dt=dt, tau=tau)
    with torch.no_grad():
        outputs = own(torch.from_numpy(samples), tau).numpy()
    sizes = np.abs(outputs).max((0, 1))
    return [
        BoundRow(tau=tau, channel=c, bound=float(e), rule=float(r), size=float(s))
        for c, (e, r, s) in enumerate(zip(bound.error, bound.rule, sizes, strict=True))
    ]


def _own(layer: Any, channels: int) -> Any:
    """Return a copy of the layer in float64, without its skip term, which makes no error."""
    from timegrain.models.layer import SequenceLayer

    if not isinstance(layer, SequenceLayer):
        raise _unknown(layer)
    if layer.d_model != channels:
        raise LayoutError(
            "the signal has other channels than the layer",
            got=f"{channels} for a layer of {layer.d_model}",
        )
    own: Any = to_double(copy.deepcopy(layer).eval())
    own.D = None
    return own


def _unknown(layer: Any) -> ModelError:
    return ModelError(
        "there is no theorem for this layer",
        got=type(layer).__name__
        + (", cured" if is_cured(layer) else "")
        + (" with norm_eps" if getattr(layer, "norm_eps", None) is not None else ""),
        expected="S4D, S5 or S6 as it is",
        hint="model_continuity(model), which measures any",
    )


def _selective(layer: Any) -> bool:
    from timegrain.models.layers.s6 import S6

    # its proof takes B and what makes Delta for linear in the input
    return isinstance(layer, S6) and layer.norm_eps is None and not is_cured(layer)


def _theorem(own: Any, system: LinearSystem | None) -> str:
    if system is None:
        return SELECTIVE + (", and Euler's weights" if own.discretization == "euler_b" else "")
    exact = "foh" if system.rule.opens else "zoh"
    return THEOREMS[exact] + ("" if system.rule.name == exact else BY_RULE)


def _checked(taus: Sequence[float]) -> tuple[float, ...]:
    steps = tuple(float(t) for t in taus)
    if not steps or not all(math.isfinite(t) and t > 0 for t in steps):
        raise ConfigError("taus are ratios of steps", got=shown(taus), expected="numbers > 0")
    return tuple(dict.fromkeys(steps))


def _asked(problem: Problem, taus: tuple[float, ...], *bounds: Any) -> dict[str, object]:
    grid = problem.signal.grid
    slope, curvature = (
        None if b is None else [float(v) for v in np.atleast_1d(np.asarray(b, float))]
        for b in bounds
    )
    asked: dict[str, object] = {"dt": grid.dt, "length": grid.n, "taus": list(taus)}
    return asked | {"slope": slope, "curvature": curvature}
