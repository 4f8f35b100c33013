"""The law by which data change when the sampling is refined: `D(k) = nu + A g_q(k) / g_q(2)`."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.task.growth import Q_HIGH, Q_LOW, Growth
from timegrain.core.outcome import Outcome

ROUGH_ABOVE = 0.3
MIN_LEVELS = 4

_COARSE = 97
_ZOOM = 17
_ZOOMS = 8  # each narrows the bracket eightfold


@dataclass(frozen=True, kw_only=True)
class RefinementLaw:
    """The law fitted to one profile.

    Args:
        outcome: `MEASURED`, `NOISE_FLOOR`, `ROUGH` or `TOO_FEW_LEVELS`.
        nugget: `nu`, the part of D that does not shrink with the step; None without a fit.
        amplitude: `A`, the part of D(2) that does; None without an exponent.
        exponent: `q`; None without a fit or when noise hides it.
        reason: Why a value is None; empty when none is.
    """

    outcome: Outcome
    nugget: float | None = None
    amplitude: float | None = None
    exponent: float | None = None
    reason: str = ""


def fit_refinement_law(
    profile: Float64[np.ndarray, " stride"],
    growth: Growth,
    *,
    error: Float64[np.ndarray, " stride"],
    difference_error: Float64[np.ndarray, "stride stride"],
    floor: float = 0.0,
) -> RefinementLaw:
    r"""Fit `nu, A >= 0` and `.2 <= q <= 4` by least squares of the relative residuals.

    For a given q the best `nu, A` are those of a two-variable non-negative least-squares problem,
    solved exactly, so the search is over q alone.

    Args:
        profile: D at each stride, the first of them at stride 2; NaN where there is none.
        growth: `g_q(k) / g_q(2)` at the same strides.
        error: Standard error of each D; NaN when unknown.
        difference_error: Standard error of `D(k) - D(l)`; NaN when unknown.
        floor: D that rounding alone makes; values below it carry no law.

    Returns:
        The law, or the reason there is none.
    """
    if profile[0] > ROUGH_ABOVE:
        return RefinementLaw(outcome=Outcome.ROUGH, reason="D(2) > .3: no stride shows the law")
    used = np.flatnonzero((profile <= ROUGH_ABOVE) & (profile > floor))
    if len(used) < MIN_LEVELS:
        return RefinementLaw(outcome=Outcome.TOO_FEW_LEVELS, reason=_too_few(len(used)))
    values = profile[used]
    q, nugget, amplitude, curve = _best(values, lambda q: growth(q)[:, used])
    rise = amplitude * (curve[-1] - curve[0])
    noise = difference_error[used[-1], used[0]]
    if q <= Q_LOW + 1e-3 or rise < 2 * noise:
        return _noise_floor(values, error[used])
    return RefinementLaw(outcome=Outcome.MEASURED, nugget=nugget, amplitude=amplitude, exponent=q)


def _too_few(levels: int) -> str:
    have = {0: "no stride has", 1: "only 1 stride has"}.get(levels, f"only {levels} strides have")
    return (
        f"{have} D <= .3 above rounding, and a law needs {MIN_LEVELS}, so none is fitted; D and "
        "the horizon stand"
    )


def _noise_floor(
    values: Float64[np.ndarray, " stride"], error: Float64[np.ndarray, " stride"]
) -> RefinementLaw:
    known = bool(np.all(error > 0))
    weights = 1 / error**2 if known else np.ones_like(values)
    return RefinementLaw(
        outcome=Outcome.NOISE_FLOOR,
        nugget=float((weights * values).sum() / weights.sum()),
        reason="D does not grow with the stride beyond its error: noise hides the exponent",
    )


def _best(
    values: Float64[np.ndarray, " stride"], growth: Growth
) -> tuple[float, float, float, Float64[np.ndarray, " stride"]]:
    """Return the best `q, nu, A` and the curve `g_q(k) / g_q(2)`."""
    grid = np.linspace(Q_LOW, Q_HIGH, _COARSE)
    loss = _solve(values, growth(grid))[2]
    for _ in range(_ZOOMS):
        at = int(np.argmin(loss))
        grid = np.linspace(grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)], _ZOOM)
        curves = growth(grid)
        nugget, amplitude, loss = _solve(values, curves)
    at = int(np.argmin(loss))
    return float(grid[at]), float(nugget[at]), float(amplitude[at]), curves[at]


def _solve(
    values: Float64[np.ndarray, " stride"], curves: Float64[np.ndarray, "exponent stride"]
) -> tuple[
    Float64[np.ndarray, " exponent"],
    Float64[np.ndarray, " exponent"],
    Float64[np.ndarray, " exponent"],
]:
    """Return `nu, A >= 0` and the loss of `(nu + A curve) / D = 1` for each curve."""
    u, v = np.broadcast_to(1 / values, curves.shape), curves / values
    uu, vv, uv = (u * u).sum(1), (v * v).sum(1), (u * v).sum(1)
    su, sv, n = u.sum(1), v.sum(1), values.size
    determinant = uu * vv - uv**2
    safe = np.where(determinant > 1e-14 * uu * vv, determinant, np.inf)
    nu, amplitude = (su * vv - sv * uv) / safe, (sv * uu - su * uv) / safe
    inside = (nu >= 0) & (amplitude >= 0) & np.isfinite(safe)
    only_noise = (su / uu, np.zeros_like(su), n - su**2 / uu)
    only_law = (np.zeros_like(sv), sv / vv, n - sv**2 / vv)
    edge = np.where(only_noise[2] <= only_law[2], only_noise, only_law)
    residual = nu[:, None] * u + amplitude[:, None] * v - 1
    loss = np.where(inside, (residual**2).sum(1), edge[2])
    return np.where(inside, nu, edge[0]), np.where(inside, amplitude, edge[1]), loss
