import numpy as np
import pytest

from timegrain.core.errors import DataError, GridError, LayoutError
from timegrain.core.grid import TimeGrid
from timegrain.resample import to_common_grid


def grid(hz: float, n: int, t0: float = 0.0) -> TimeGrid:
    return TimeGrid(dt=1 / hz, n=n, t0=t0, unit="s")


def wave(hz: float, n: int, t0: float = 0.0) -> np.ndarray:
    return np.sin(2 * np.pi * 3 * (t0 + np.arange(n) / hz))[:, None]


@pytest.mark.parametrize("hz", [100, 200, 50])
def test_one_wave_recorded_at_two_rates_agrees_on_the_common_grid(hz):
    values, made = to_common_grid(
        [wave(100, 1000), wave(200, 2000)], [grid(100, 1000), grid(200, 2000)], dt=1 / hz
    )
    assert made.dt == 1 / hz and made.unit == "s"
    inside = values[len(values) // 5 : -len(values) // 5]
    assert np.abs(inside[:, 0] - inside[:, 1]).max() < 4e-6


def test_a_signal_that_has_the_rate_is_left_alone():
    x = wave(100, 1000)
    values, _ = to_common_grid([x, wave(200, 2000)], [grid(100, 1000), grid(200, 2000)], dt=0.01)
    assert np.array_equal(values[:, :1], x)


def test_no_times_are_made_up_beyond_the_overlap():
    # the slow one ends at 9.99 s, the fast one at 9.995 s: no common sample after 9.99 s
    values, made = to_common_grid(
        [wave(100, 1000), wave(200, 2000)], [grid(100, 1000), grid(200, 2000)], dt=0.005
    )
    assert made.times[-1] == pytest.approx(9.99) and len(values) == 1999
    late, early = wave(100, 1000, t0=2.0), wave(200, 2000)
    values, made = to_common_grid([late, early], [grid(100, 1000, 2.0), grid(200, 2000)], dt=0.01)
    assert made.t0 == 2.0 and made.times[-1] == pytest.approx(9.99) and len(values) == made.n
    assert np.abs(values[200:600, 0] - values[200:600, 1]).max() < 4e-6


def test_what_does_not_fit_is_refused():
    with pytest.raises(GridError, match="together"):
        to_common_grid(
            [wave(100, 500), wave(100, 500)], [grid(100, 500), grid(100, 500, 9.0)], dt=0.01
        )
    with pytest.raises(GridError, match="no whole steps apart"):
        to_common_grid(
            [wave(100, 500), wave(100, 500)], [grid(100, 500), grid(100, 500, 0.003)], dt=0.01
        )
    with pytest.raises(LayoutError, match="one grid a signal"):
        to_common_grid([], [], dt=0.01)
    with pytest.raises(LayoutError, match="does not fit its grid"):
        to_common_grid([wave(100, 500)], [grid(100, 499)], dt=0.01)
    with pytest.raises(GridError, match="different units"):
        to_common_grid(
            [wave(100, 500)] * 2, [grid(100, 500), TimeGrid(dt=0.01, n=500, unit="ms")], dt=0.01
        )
    broken = wave(100, 1000)
    broken[3] = np.nan
    with pytest.raises(DataError, match="at sample 3"):
        to_common_grid([broken], [grid(100, 1000)], dt=0.02)
