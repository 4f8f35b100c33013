"""Signals that users give, and where their finer samples come from."""

import numpy as np
import pytest

from timegrain.continuity.model.given import as_source
from timegrain.continuity.model.measure import model_continuity
from timegrain.continuity.model.sources import make_inputs
from timegrain.core import ConfigError, DataError, GridError, LayoutError, Outcome, Signal, TimeGrid
from timegrain.data.signals import sines
from timegrain.data.signals.families import SINES


def leaky(x, tau=1.0):
    y, kept = np.zeros_like(x), np.exp(-tau)
    for k in range(1, x.shape[1]):
        y[:, k] = kept * y[:, k - 1] + (1 - kept) * x[:, k - 1]
    return y


def wave(times):
    return sines(duration=64.0, n_channels=2, seed=3)(times)


def errors(result):
    return np.array([row.error for row in result.errors])


def test_a_function_is_one_pair_without_an_interval():
    result = model_continuity(leaky, signal=wave)
    assert result.n_pairs == 1
    assert result.interval is None
    assert result.d_input == 2
    assert result.signal == "wave"
    assert "1 pair" in repr(result)


def test_recorded_samples_of_a_function_measure_what_the_function_does():
    fine = wave(TimeGrid(dt=1 / 16, n=63 * 16 + 1).times)
    recorded = model_continuity(leaky, signal=fine, dt=1 / 16, levels=4, refine="recorded")
    exact = model_continuity(leaky, signal=wave, levels=4)
    assert recorded.dt == 1.0
    assert recorded.length == 64
    # The same samples, and so the same sums; the bump's unit is the signal's deviation in both.
    np.testing.assert_array_equal(errors(recorded), errors(exact))
    assert recorded.memory == exact.memory


def test_a_recording_loses_the_remainder_of_its_last_step():
    fine = wave(TimeGrid(dt=1 / 4, n=63 * 4 + 3).times)
    result = model_continuity(leaky, signal=fine, dt=0.25, levels=2, refine="recorded")
    assert result.length == 64


def test_interpolated_samples_are_close_and_their_share_is_in_the_budget():
    coarse = wave(np.arange(64.0))
    made_up = model_continuity(leaky, signal=coarse, refine="interpolate")
    exact = model_continuity(leaky, signal=wave)
    np.testing.assert_allclose(errors(made_up), errors(exact), rtol=0.1)
    assert 1e-4 < made_up.error_budget.interpolation < 0.1
    assert any("made up" in note for note in made_up.notes)


def test_the_default_signal_can_be_interpolated_as_well():
    result = model_continuity(leaky, refine="interpolate", seeds=2)
    assert result.outcome is Outcome.CONVERGES
    assert result.error_budget.interpolation > 0


def test_a_signal_brings_its_grid_and_one_pair_a_sequence():
    grid = TimeGrid(dt=0.01, n=40, t0=5.0, unit="s")
    batch = Signal.sample(
        lambda t: np.stack([np.sin(20 * t), np.cos(15 * t)])[:, :, None], grid, name="motion"
    )
    result = model_continuity(leaky, signal=batch, levels=3)
    assert (result.dt, result.length, result.unit, result.n_pairs) == (0.01, 40, "s", 2)
    assert result.signal == "motion"


def test_the_bump_of_a_given_signal_has_its_unit():
    big = model_continuity(leaky, signal=lambda t: 1e6 * wave(t), levels=3)
    small = model_continuity(leaky, signal=wave, levels=3)
    ratio = [b.memory / s.memory for b, s in zip(big.memory, small.memory, strict=True)]
    np.testing.assert_allclose(ratio, 1.0, rtol=1e-6)


def test_a_constant_channel_still_gets_a_bump():
    result = model_continuity(leaky, signal=lambda t: np.ones((t.size, 1)), levels=3)
    assert result.memory[0].memory > 0


@pytest.mark.parametrize("shape", [(40,), (40, 2), (3, 40, 2)])
def test_arrays_of_one_two_and_three_axes(shape):
    values = np.random.default_rng(0).standard_normal(shape)
    result = model_continuity(leaky, signal=values, refine="interpolate", levels=3)
    assert result.length == 40
    assert result.d_input == (1 if len(shape) == 1 else 2)
    assert result.n_pairs == (3 if len(shape) == 3 else 1)


def test_a_tensor_is_an_array():
    import torch

    values = torch.randn(40, 2, requires_grad=True)
    result = model_continuity(leaky, signal=values, refine="interpolate", levels=3)
    assert result.d_input == 2


def test_samples_are_not_known_at_every_time():
    with pytest.raises(ConfigError, match="refine='interpolate'"):
        model_continuity(leaky, signal=np.zeros(64))


def test_a_recording_that_is_too_short_says_which_levels_fit():
    with pytest.raises(GridError, match="Try levels=2"):
        model_continuity(leaky, signal=np.zeros(100), refine="recorded")


def test_a_working_grid_needs_sixteen_samples():
    with pytest.raises(GridError, match=">= 16"):
        model_continuity(leaky, length=15)
    assert model_continuity(leaky, length=16, levels=3, seeds=1).memory[0].memory > 0


def test_gaps_are_refused():
    values = np.zeros(64)
    values[3] = np.nan
    with pytest.raises(DataError, match="gaps"):
        model_continuity(leaky, signal=values, refine="interpolate")


@pytest.mark.parametrize("signal", [np.zeros((1, 2, 3, 4)), np.array(["a"]), np.zeros((0, 3))])
def test_an_array_of_another_form_is_refused(signal):
    with pytest.raises(LayoutError):
        model_continuity(leaky, signal=signal, refine="interpolate")


def test_the_signal_and_d_input_must_agree():
    with pytest.raises(LayoutError, match="d_input=3"):
        model_continuity(leaky, signal=wave, d_input=3)


def test_levels_are_nested():
    inputs = make_inputs(SINES, dt=0.5, length=20, levels=3, refine="exact", n_channels=2, seed=0)
    working = inputs.values(1, 0)
    for level in range(4):
        values, bump = inputs.twin(1, level)
        assert values.shape == (19 * 2**level + 1, 2)
        np.testing.assert_array_equal(values[:: 2**level], working)
        assert bump.max() <= 1.0
    assert inputs.window == 10.0
    assert inputs.bump_end == 3.75


@pytest.mark.parametrize("signal", [SINES, np.cumsum(np.ones((40, 2)), 0) ** 2])
def test_what_is_added_to_a_twin_is_its_bump_where_that_is_not_zero(signal):
    refine = "exact" if signal is SINES else "interpolate"
    given = as_source(signal, dt=0.5, length=40)
    made = {"dt": 0.5, "length": 40, "levels": 2, "n_channels": 2, "seed": 0}
    inputs = make_inputs(given, refine=refine, **made)
    for level in range(3):
        added, first = inputs.added(0, level)
        _, bump = inputs.twin(0, level)
        beside = np.ones(len(bump), bool)
        beside[first : first + len(added)] = False
        assert not bump[beside].any()
        np.testing.assert_array_equal(bump[~beside], added)
        times = inputs.grid.refine(2**level).times
        np.testing.assert_array_equal(inputs.times(level), times)
        inside = (times > 5.0) & (times < 7.5)
        assert (bump[inside] > 0).all()
