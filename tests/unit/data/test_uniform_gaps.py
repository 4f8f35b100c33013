"""Short gaps are bridged before a filter; what is lost to long ones is said first."""

import numpy as np
import pytest

from timegrain.data import Dataset
from timegrain.data.uniform import uniform

N = 9000


def holed(*, timed: bool, jitter: float = 0.0, share: float = 0.005) -> tuple[Dataset, np.ndarray]:
    """A recording at 50 Hz that misses rows at random, none beside another."""
    random = np.random.default_rng(5)
    t = (np.arange(N) + jitter * np.clip(random.normal(size=N), -3, 3)) / 50
    t -= t[0]
    lost = random.random(N) < share
    lost[1:] &= ~lost[:-1]
    lost[:9] = lost[-9:] = False
    x = np.stack([np.sin(2 * np.pi * 3 * t), np.cos(2 * np.pi * 3 * t)], axis=1)
    x[lost] = np.nan
    times = (t,) if timed else None
    return Dataset(name="h", sequences=(x,), times=times, dt=0.02, unit="s"), lost


@pytest.mark.parametrize("timed, jitter", [(False, 0.0), (True, 0.0), (True, 0.03)])
@pytest.mark.parametrize("hz", [25, 20, 10])
def test_rows_missing_one_by_one_cost_nothing(hz, timed, jitter):
    data, lost = holed(timed=timed, jitter=jitter)
    made = uniform(data, hz)
    x = made.sequences[0]
    assert not np.isnan(x).any()
    at = np.arange(len(x)) / hz
    inside = slice(2 * hz, -2 * hz)
    # 3 Hz is below half of 12.5 and of 10 Hz, and .6 of 5 Hz, where a gap is .4 of a new step
    assert np.abs(x[:, 0] - np.sin(2 * np.pi * 3 * at))[inside].max() < 0.05
    said = next(n for n in made.notes if "bridged before the filter" in n)
    assert said.startswith(f"{lost.sum()} gaps of up to 4") and f"{2 * lost.sum()} recorded" in said
    assert f"a sine of {hz / 4:.4g} Hz" in said


def test_what_the_rule_does_not_allow_stays_open_and_is_said_first():
    data, lost = holed(timed=False)
    made = uniform(data, 40)
    assert np.isnan(made.sequences[0]).mean() > 0.1
    assert "shorter than the filter needs" in made.notes[0]
    assert "common_hz=31 or less, where gaps of 40 ms are bridged" in made.notes[0]
    assert "common_hz=50, where nothing is filtered" in made.notes[0]
    # what it says helps
    assert not np.isnan(uniform(data, 31).sequences[0]).any()
    same = uniform(data, 50)
    np.testing.assert_array_equal(np.isnan(same.sequences[0][:, 0]), lost)
    assert not any("bridged" in n for n in same.notes)


def test_longer_gaps_stay_open_beside_bridged_ones():
    data, _ = holed(timed=True, jitter=0.02)
    data.sequences[0][4000:4010] = np.nan
    made = uniform(data, 25)
    at = np.arange(len(made.sequences[0])) / 25
    empty = np.isnan(made.sequences[0]).any(axis=1)
    inside = (at > 3999.1 / 50) & (at < 4009.9 / 50)
    np.testing.assert_array_equal(empty, inside)
    assert not any("shorter than the filter" in n for n in made.notes)


def test_a_long_step_without_a_row_is_bridged_by_the_same_rule():
    data, lost = holed(timed=True, jitter=0.02)
    keep = ~lost
    rows = Dataset(
        name="h",
        sequences=(data.sequences[0][keep],),
        times=(data.times[0][keep],),
        dt=0.02,
        unit="s",
    )
    x = uniform(rows, 25).sequences[0]
    assert not np.isnan(x).any()
    np.testing.assert_allclose(x, uniform(data, 25).sequences[0], atol=0.02)
