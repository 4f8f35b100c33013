"""Random S4 and S6 systems in closed form, to check what any measurement of theirs must find."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream
from timegrain.data.signals import chebyshev
from timegrain.stats.orders import richardson_limit

KINDS = ("s4", "s6")
STATES = 8
RATE = 0.01  # of S4 everywhere, and of S6 at zero input
FINEST = 12  # the reference extrapolates from the steps 2^-11 and 2^-12

Systems = Float64[np.ndarray, "system state"]
Samples = Float64[np.ndarray, "system time"]


@dataclass(frozen=True, kw_only=True)
class ReferenceSystems:
    r"""A batch of random single-input systems on `t` in `[0, 1]`, at rest at `t = 0`.

    Args:
        kind: `"s4"`, time-invariant, or `"s6"`, whose rate and weights follow the input.
        count: Systems, each with its own input.
        seed: Seed of weights and inputs.

    Raises:
        ConfigError: If the kind is unknown or `count < 1`.

    Math:
        A is HiPPO-LegS with 8 states; `B, C ~ N(0, 1) / sqrt 8`.
        S4: `x' = .01 (A x + B u)`, `y = C' x`.
        S6: `x' = s(u) (A x + B u^2)`, `y = u C' x`, `s = softplus(w u + b)`, `w ~ N(0, 1)`,
        `softplus(b) = .01`.
        The input is `a` times a random Chebyshev series of degree 20.

    Source:
        Gu, Dao, Ermon, Rudra, Re, HiPPO: Recurrent Memory with Optimal Polynomial Projections
        (NeurIPS 2020), theorem 2 (A).

    Example:
        >>> systems = ReferenceSystems(kind="s4", count=3)
        >>> systems.outputs(16, amplitude=1.0).shape
        (3, 17)
    """

    kind: str
    count: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ConfigError("kind is unknown", got=repr(self.kind), expected=", ".join(KINDS))
        if self.count < 1:
            raise ConfigError("there must be a system", got=self.count, expected="count >= 1")

    def inputs(self, steps: int, *, amplitude: float) -> Samples:
        """Return the inputs at `steps + 1` equally spaced times."""
        function = chebyshev(n_channels=self.count, seed=self.seed)
        return amplitude * function(np.linspace(0.0, 1.0, steps + 1))[0].T

    def outputs(self, steps: int, *, amplitude: float) -> Samples:
        """Return the outputs by zero-order hold, the input of each step's left end held over it.

        Args:
            steps: Steps of size `1 / steps`.
            amplitude: Factor a of the input.

        Returns:
            `(system, steps + 1)`, zero at `t = 0`; S6 reads `u C' x` at the right end of a step.
        """
        u = self.inputs(steps, amplitude=amplitude)
        poles, inward, outward = self._diagonal()
        rate = self._rate(u) / steps
        drive = u if self.kind == "s4" else u * u
        read = np.ones_like(u) if self.kind == "s4" else u
        y = np.zeros_like(u)
        x = np.zeros((self.count, STATES))
        for k in range(steps):
            exponent = rate[:, k, None] * poles
            x = np.exp(exponent) * x + np.expm1(exponent) / poles * inward * drive[:, k, None]
            y[:, k + 1] = read[:, k + 1] * np.einsum("sn,sn->s", outward, x)
        return y

    def errors(self, steps: Sequence[int], *, amplitude: float) -> Float64[np.ndarray, "grid kept"]:
        """Return relative sup errors on grids of so many steps.

        Args:
            steps: Numbers of steps, each dividing `2^11`.
            amplitude: Factor a of the input.

        Returns:
            `(grid, kept)`: both maxima are over the grid's own times, against the limit that
            Richardson extrapolation gives. Systems whose output underflows to zero are left out.
        """
        fine = self.outputs(2**FINEST, amplitude=amplitude)[:, ::2]
        limit = richardson_limit(fine, self.outputs(2 ** (FINEST - 1), amplitude=amplitude), 1.0)
        table = []
        for n in steps:
            there = limit[:, :: 2 ** (FINEST - 1) // n]
            gaps = np.abs(self.outputs(n, amplitude=amplitude) - there).max(axis=1)
            sizes = np.abs(there).max(axis=1)
            table.append(np.divide(gaps, sizes, out=np.full(gaps.shape, np.nan), where=sizes > 0))
        errors = np.array(table)
        return errors[:, np.isfinite(errors).all(axis=0)]

    def _rate(self, u: Samples) -> Samples:
        if self.kind == "s4":
            return np.full_like(u, RATE)
        w = stream(self.seed, "rate").standard_normal((self.count, 1))
        return np.logaddexp(0.0, w * u + np.log(np.expm1(RATE)))

    def _diagonal(self) -> tuple[Float64[np.ndarray, " state"], Systems, Systems]:
        """Return the poles, and B and C in the basis of A's eigenvectors."""
        poles, vectors = np.linalg.eig(hippo_legs(STATES))
        rng = stream(self.seed, "weights")
        B, C = rng.standard_normal((2, self.count, STATES)) / np.sqrt(STATES)
        return poles, B @ np.linalg.inv(vectors).T, C @ vectors


def hippo_legs(n: int) -> Float64[np.ndarray, "state state"]:
    r"""Return the HiPPO-LegS matrix.

    Args:
        n: States, >= 1.

    Math:
        `A_jk = -sqrt((2j+1)(2k+1))` for `j > k`, `-(j+1)` for `j = k`, 0 above the diagonal.

    Example:
        >>> hippo_legs(2).round(3).tolist()
        [[-1.0, 0.0], [-1.732, -2.0]]
    """
    j = np.arange(n)
    root = np.sqrt(2.0 * j + 1.0)
    return np.where(j[:, None] > j, -np.outer(root, root), -np.diag(j + 1.0)) + 0.0
