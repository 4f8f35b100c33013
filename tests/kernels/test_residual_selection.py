"""The quantile of residuals in bounded memory against all of them at once, to the last bit."""

import numpy as np
import pytest

from timegrain.kernels.discontinuity import Pieces, residuals
from timegrain.kernels.discontinuity.selection import residual_blocks, residual_quantile

RNG = np.random.default_rng(2)


def windows(n: int, size: int, hop: int) -> Pieces:
    starts = np.arange(0, n - size + 1, hop)
    count = len(starts)
    return Pieces(
        starts=starts,
        stops=starts + size,
        groups=np.arange(count),
        n_groups=count,
        n_segments=1,
        times=np.empty(0),
    )


CASES = {
    "one": Pieces.whole([5000]),
    "several": Pieces.whole([3, 1, 2000, 17, 2979]),
    "windows": windows(5000, 128, 128),
    "overlapping": windows(5000, 1000, 170),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("stride", [2, 3, 64])
@pytest.mark.parametrize("size", [100, 10_000])
def test_blocks_hold_every_residual_once(case, stride, size):
    x = np.cumsum(RNG.normal(size=(5000, 2)), axis=0)
    x[RNG.random(x.shape) < 0.01] = np.nan
    whole = residuals(x, CASES[case], stride, 1)
    found = np.concatenate(list(residual_blocks(x, CASES[case], stride, 1, size=size)))
    assert np.array_equal(np.sort(found), np.sort(whole))
    if case != "overlapping":
        assert np.array_equal(found, whole)


@pytest.mark.parametrize("kind", ["walk", "ties", "zero", "huge", "float32"])
@pytest.mark.parametrize("held", [0, 1, 40, 10**6])
def test_the_quantile_is_that_of_numpy_however_few_are_held(kind, held):
    x = np.cumsum(RNG.normal(size=(3000, 1)), axis=0)
    x = {
        "walk": x,
        "ties": np.rint(x / 5),
        "zero": np.where(np.arange(3000)[:, None] < 20, x, 0.0),
        "huge": x * 1e300 * np.exp(-np.arange(3000.0))[:, None],
        "float32": x.astype(np.float32),
    }[kind]
    for pieces in (Pieces.whole([3000]), windows(3000, 100, 30)):
        for share in (0.0, 0.5, 0.99, 1.0):
            wanted = float(np.quantile(residuals(x, pieces, 4, 0), share))
            assert residual_quantile(x, pieces, 4, 0, share, held=held) == wanted


def test_irregular_times_and_nothing_at_all():
    x = RNG.normal(size=(999, 1))
    times = np.cumsum(RNG.uniform(0.5, 1.5, 999))
    pieces = Pieces(
        starts=np.array([0]),
        stops=np.array([999]),
        groups=np.array([0]),
        n_groups=1,
        n_segments=1,
        times=times,
    )
    wanted = float(np.quantile(residuals(x, pieces, 2, 0), 0.99))
    assert residual_quantile(x, pieces, 2, 0, 0.99, held=10) == wanted
    assert residual_quantile(np.full((9, 1), np.nan), Pieces.whole([9]), 2, 0, 0.99) is None
    assert residual_quantile(np.full((9, 1), np.nan), Pieces.whole([9]), 2, 0, 0.99, held=0) is None
    assert residual_quantile(np.zeros((2, 1)), Pieces.whole([2]), 2, 0, 0.99) is None
