"""How often the interval of an order holds the order, on ladders whose order is known."""

import numpy as np
import pytest

from timegrain.continuity.model.convergence import converge, last_order
from timegrain.continuity.model.medians import median_interval

RUNS = 1000
LEVELS, TIMES = 4, 16
EPS = float(np.finfo(float).eps)


def factors(rng, shape):
    """Noise of every level as a whole, 30 %."""
    return np.exp(0.3 * rng.standard_normal((*shape, 1)))


def fields(rng, shape):
    """Noise of every sample on its own, as large as the error itself."""
    return 1.0 + rng.standard_normal((*shape, TIMES))


def outliers(rng, shape):
    """Noise of every level as a whole whose fourth moment is infinite."""
    return np.exp(0.2 * rng.standard_t(3, (*shape, 1)))


def last_orders(noise, *, order, pairs, norm, seed):
    """Return the last order of `(run, pair)` ladders `F_j = F + tau_j^p e n_j`, `n_j` the noise.

    The last two differences come from three levels with noise of one law, scaled by `2^-p` from one
    to the next: the order they show has median p, as no level is told from another.
    """
    rng = np.random.default_rng(seed)
    shape = (RUNS, pairs, LEVELS + 1)
    tau = 0.5 ** np.arange(LEVELS + 1)
    limit = 3.0 + rng.standard_normal((RUNS, pairs, 1, TIMES))
    error = 1.0 + 0.3 * rng.standard_normal((RUNS, pairs, 1, TIMES))
    outputs = limit + 1e-2 * tau[:, None] ** order * error * noise(rng, shape)
    return np.array(
        [
            [
                last_order(
                    converge(ladder[..., None], norm=norm, declared=None, eps=EPS).differences, EPS
                )
                for ladder in run
            ]
            for run in outputs
        ]
    )


@pytest.mark.parametrize(
    ("noise", "order", "pairs", "norm"),
    [(factors, 1.0, 20, "sup"), (fields, 2.0, 20, "rms"), (outliers, 1.0, 33, "rms")],
)
def test_the_interval_of_an_order_holds_it_in_93_to_97_of_100_runs(noise, order, pairs, norm):
    orders = last_orders(noise, order=order, pairs=pairs, norm=norm, seed=7)
    ends = np.array([median_interval(run) for run in orders])
    held = np.mean((ends[:, 0] <= order) & (order <= ends[:, 1]))
    # Of 1,000 runs at 95 % the share has a standard error of .7 points: the band is three of them.
    assert 0.93 <= held <= 0.97
