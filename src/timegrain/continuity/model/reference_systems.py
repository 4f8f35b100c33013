"""Random S4 and S6 systems in closed form, to check what any measurement of theirs must find."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.model.reference_errors import reference_errors
from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream
from timegrain.data.signals import chebyshev

KINDS = ("s4", "s6")
DISCRETIZATIONS = ("zoh", "bilinear")
STATES = 8
RATE = 0.01  # of S4 everywhere, and of S6 at zero input

Systems = Float64[np.ndarray, "system state"]
Samples = Float64[np.ndarray, "*amplitude system time"]
Amplitude = float | Float64[np.ndarray, " amplitude"]


@dataclass(frozen=True, kw_only=True)
class ReferenceSystems:
    r"""A batch of random single-input systems on `t` in `[0, 1]`, at rest at `t = 0`.

    Args:
        kind: `"s4"`, time-invariant, or `"s6"`, whose rate and weights follow the input.
        count: Systems, each with its own input.
        seed: Seed of weights and inputs.
        discretization: `"zoh"`, exact for an input that is held from each sample to the next, or
            `"bilinear"`, the same held input by the trapezoidal rule in the state (S4's code).

    Raises:
        ConfigError: If the kind or the discretisation is unknown or `count < 1`.

    Math:
        A is HiPPO-LegS with 8 states; `B, C ~ N(0, 1) / sqrt 8`.
        S4: `x' = .01 (A x + B u)`, `y = C' x`.
        S6: `x' = s(u) (A x + B u^2)`, `y = u C' x`, `s = softplus(w u + b)`, `w ~ N(0, 1)`,
        `softplus(b) = .01`.
        The input is `a` times a random Chebyshev series of degree 20.
        A step adds `(g - 1)(x + A^-1 B u)`, with `g = exp(z)` by ZOH, `g = (1 + z/2) / (1 - z/2)`
        by the bilinear rule and `z = s tau A`: both of order 1, since u is held.

    Source:
        Gu, Dao, Ermon, Rudra, Re, HiPPO: Recurrent Memory with Optimal Polynomial Projections
        (NeurIPS 2020), theorem 2 (A). Gu, Goel, Re, Efficiently Modeling Long Sequences with
        Structured State Spaces (ICLR 2022), eq. (3) (the bilinear rule).

    Example:
        >>> systems = ReferenceSystems(kind="s4", count=3)
        >>> systems.outputs(16, amplitude=1.0).shape
        (3, 17)
    """

    kind: str
    count: int = 500
    seed: int = 0
    discretization: str = "zoh"

    def __post_init__(self) -> None:
        for field, known in (("kind", KINDS), ("discretization", DISCRETIZATIONS)):
            word = getattr(self, field)
            if word not in known:
                raise ConfigError(f"{field} is unknown", got=repr(word), expected=", ".join(known))
        if self.count < 1:
            raise ConfigError("there must be a system", got=self.count, expected="count >= 1")

    def inputs(self, steps: int, *, amplitude: Amplitude) -> Samples:
        """Return the inputs at `steps + 1` equally spaced times, amplitudes first if several."""
        function = chebyshev(n_channels=self.count, seed=self.seed)
        return np.multiply.outer(amplitude, function(np.linspace(0.0, 1.0, steps + 1))[0].T)

    def outputs(self, steps: int, *, amplitude: Amplitude) -> Samples:
        """Return the outputs, the input of each step's left end held over it.

        Args:
            steps: Steps of size `1 / steps`.
            amplitude: Factor a of the input, or several.

        Returns:
            `(system, steps + 1)`, after the amplitudes if there are several; zero at `t = 0`; S6
            reads `u C' x` at the right end of a step.
        """
        u = self.inputs(steps, amplitude=amplitude)
        B, C = self.weights()
        A = hippo_legs(STATES)
        poles, vectors = np.linalg.eig(A)
        inward, outward = np.linalg.inv(vectors).T, vectors.T
        held = np.linalg.solve(A, B.T).T
        fixed = (inward * self._change(RATE / steps * poles)) @ outward
        # time first, so that what a step reads lies together
        rate = np.moveaxis(self._rate(u) / steps, -1, 0).copy()[..., None]
        drive = np.moveaxis(u if self.kind == "s4" else u * u, -1, 0).copy()[..., None]
        y = np.zeros(rate.shape[:-1])
        x = np.zeros((*rate.shape[1:-1], STATES))
        for k in range(steps):
            # only what a step adds goes through the eigenvectors, whose condition number is 8e4
            pull = x + held * drive[k]
            if self.kind == "s4":
                x = x + pull @ fixed
            else:
                x = x + (pull @ inward * self._change(rate[k] * poles)) @ outward
            y[k + 1] = (x * C).sum(-1)
        read = np.moveaxis(y, 0, -1)
        return read.copy() if self.kind == "s4" else u * read

    def errors(self, steps: Sequence[int], *, amplitude: float) -> Float64[np.ndarray, "grid kept"]:
        """Return relative sup errors on grids of so many steps, as `reference_errors` does.

        Args:
            steps: Numbers of steps, each dividing `2^11`.
            amplitude: Factor a of the input.

        Returns:
            `(grid, kept)`: systems whose output underflows to zero are left out.
        """
        errors = reference_errors(self, steps, amplitude=amplitude).errors[0]
        return errors[:, np.isfinite(errors).all(axis=0)]

    def weights(self) -> tuple[Systems, Systems]:
        """Return B and C, `(system, state)` each."""
        rng = stream(self.seed, "weights")
        B, C = rng.standard_normal((2, self.count, STATES)) / np.sqrt(STATES)
        return B, C

    def _change(
        self, exponent: Float64[np.ndarray, "*amplitude system state"]
    ) -> Float64[np.ndarray, "*amplitude system state"]:
        """Return `g - 1`, which stays exact for the smallest steps."""
        if self.discretization == "zoh":
            return np.expm1(exponent)
        return exponent / (1.0 - exponent / 2.0)

    def _rate(self, u: Samples) -> Samples:
        if self.kind == "s4":
            return np.full_like(u, RATE)
        w = stream(self.seed, "rate").standard_normal((self.count, 1))
        return np.logaddexp(0.0, w * u + np.log(np.expm1(RATE)))


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
