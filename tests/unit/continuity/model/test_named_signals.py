"""Signals by name: families, systems simulated anew, and filtered recordings."""

import math

import numpy as np
import pytest

from timegrain.continuity.model.measure import model_continuity
from timegrain.core import ConfigError, GridError, Outcome, UnknownNameError
from timegrain.data.signals import SignalFamily, sines
from timegrain.data.systems import watch_system
from timegrain.data.systems.generators import SYSTEMS
from timegrain.resample import fir_decimate


def held(x, tau=1.0):
    """y' = x - y with the input held over each step: order 1."""
    y, kept = np.zeros_like(x), math.exp(-tau)
    for k in range(1, x.shape[1]):
        y[:, k] = kept * y[:, k - 1] + (1 - kept) * x[:, k - 1]
    return y


def ramped(x, tau=1.0):
    """The same with the input on a line over each step: order 2."""
    y, kept = np.zeros_like(x), math.exp(-tau)
    late = 1 - (1 - kept) / tau
    for k in range(1, x.shape[1]):
        y[:, k] = kept * y[:, k - 1] + (1 - kept - late) * x[:, k - 1] + late * x[:, k]
    return y


held.order, ramped.order = 1, 2


@pytest.mark.parametrize("name", ["sines", "fourier", "chebyshev", "chirp", "c0", "c1", "c2"])
def test_a_smooth_enough_family_shows_the_models_own_order(name):
    result = model_continuity(held, signal=name)
    assert result.outcome is Outcome.CONVERGES
    assert result.order == pytest.approx(1.0, abs=0.05)
    assert not any("no model shows" in note for note in result.notes)


def test_no_name_is_the_sum_of_sines():
    named, plain = (model_continuity(held, signal=s, seeds=3) for s in ("sines", None))
    assert named.errors == plain.errors
    assert named.signal == plain.signal == "sum of five sines per channel"


def test_a_family_of_ones_own_is_a_signal():
    def tone(*, duration, n_channels, seed, pair):
        return sines(duration=duration, n_channels=n_channels, seed=seed, pair=pair)

    mine = SignalFamily(
        name="mine",
        title="my own sines",
        smoothness="analytic",
        derivatives=math.inf,
        order_limit=math.inf,
        make=tone,
    )
    result = model_continuity(held, signal=mine, seeds=3)
    assert result.signal == "my own sines"
    assert result.errors == model_continuity(held, seeds=3).errors


@pytest.mark.parametrize("model", [held, ramped])
def test_jumps_on_no_grid_bound_the_order_and_the_cure_is_said(model):
    result = model_continuity(model, signal="steps")
    assert result.outcome is Outcome.PRE_ASYMPTOTIC or result.order <= 1.2
    assert any("signal='sines'" in note and "above 1" in note for note in result.notes)


def test_brownian_motion_bounds_the_order_at_one():
    # The held input's error is a sum of independent ones of variance h^3/3 a step: of size h.
    result = model_continuity(ramped, signal="brownian")
    assert result.order == pytest.approx(1.0, abs=0.2)
    assert result.outcome is not Outcome.CONVERGES
    assert any("nowhere differentiable" in note for note in result.notes)


def test_an_unknown_signal_names_families_and_systems():
    with pytest.raises(UnknownNameError, match="lorenz96") as caught:
        model_continuity(held, signal="lorentz")
    assert "Try lorenz" in str(caught.value)


@pytest.mark.parametrize(
    ("signal", "dt"), [("damped", 0.1), ("vdp", 0.1), ("lorenz", 0.01), ("kuramoto", 0.1)]
)
def test_a_system_is_simulated_on_every_grid(signal, dt):
    result = model_continuity(
        held, signal=signal, refine="resimulate", dt=dt, length=33, levels=4, seeds=3
    )
    assert result.outcome is Outcome.CONVERGES
    assert result.order == pytest.approx(1.0, abs=0.1)
    assert result.refine == "resimulate"
    assert "in standard deviations" in result.signal
    assert "simulated on every grid" in repr(result)


def test_an_ornstein_uhlenbeck_path_is_one_path_and_rough():
    result = model_continuity(
        ramped, signal="ou", refine="resimulate", dt=0.1, length=33, levels=4, seeds=8
    )
    assert result.order == pytest.approx(1.0, abs=0.25)
    assert any("nowhere differentiable" in note for note in result.notes)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_every_system_shows_the_same_values_on_a_finer_grid(system):
    coarse, fine = (
        watch_system(system, dt=0.1, n=6, n_channels=3, seed=1, pair=2, level=j) for j in (0, 2)
    )
    np.testing.assert_array_equal(fine[::4], coarse)
    assert fine.shape == (21, 3)
    assert not np.allclose(coarse[:, 0], coarse[:, 2])
    other = watch_system(system, dt=0.1, n=6, n_channels=3, seed=1, pair=3)
    assert not np.allclose(coarse, other)


def test_simulating_shows_an_order_that_interpolation_hides():
    way = {"signal": "vdp", "dt": 0.4, "length": 17, "levels": 3, "seeds": 1}
    anew = model_continuity(held, refine="resimulate", **way)
    made_up = model_continuity(held, refine="interpolate", **way)
    assert anew.error_budget.interpolation == 0.0
    assert made_up.error_budget.interpolation > 1e-4


@pytest.mark.parametrize("refine", ["exact", "recorded"])
def test_a_system_is_to_be_simulated(refine):
    with pytest.raises(ConfigError, match="refine='resimulate'"):
        model_continuity(held, signal="lorenz", refine=refine)


@pytest.mark.parametrize("signal", [None, "chirp", np.zeros(64)])
def test_only_a_system_can_be_simulated(signal):
    with pytest.raises(ConfigError, match="lorenz"):
        model_continuity(held, signal=signal, refine="resimulate")


def recording(n=4000, loud=0.0):
    """A slow wave, and a fast one above the coarsest grid's Nyquist frequency of 1/8."""
    t = np.arange(n)
    return np.sin(0.04 * t) + loud * np.sin(2.3 * t)


WAY = {"refine": "recorded", "levels": 2}


def test_a_filtered_recording_leaves_the_spoiled_samples_out():
    result = model_continuity(held, signal=recording(), decimator="fir", **WAY)
    assert result.dt == 4.0
    assert result.length == 1000 - 2 * 40
    assert "low-passed" in result.signal


def test_no_model_sees_a_spoiled_sample():
    seen = []

    def watcher(x, tau=1.0):
        seen.append(x.copy())
        return held(x, tau)

    x = recording(loud=1.0)
    model_continuity(watcher, signal=x, decimator="fir", **WAY)
    for level in range(3):
        n = (1000 - 2 * 40 - 1) * 2**level + 1
        first = next(s for s in seen if s.shape[1] == n)[0, :, 0]
        whole = fir_decimate(x[None, :3997, None], 4 // 2**level)[0, :, 0]
        begin = 40 * 2**level
        np.testing.assert_array_equal(first, whole[begin : begin + n])
        # What was cut off at either end reaches past every sample the filter had to make up.
        assert begin >= 40
        assert whole.size - begin - n >= 40


def test_the_filter_keeps_what_aliases_off_the_coarse_grids():
    clean = model_continuity(held, signal=recording(), decimator="fir", **WAY)
    loud = recording(loud=1.0)
    filtered = model_continuity(held, signal=loud, decimator="fir", **WAY)
    dropped = model_continuity(held, signal=loud, **WAY)
    coarse = [r.orders[0].difference for r in (clean, filtered, dropped)]
    # The two coarser grids hold the slow wave alone, to -120 dB; aliases are as large as it.
    assert coarse[1] == pytest.approx(coarse[0], rel=0.2)
    assert coarse[2] > 3 * coarse[1]


def test_a_recording_too_short_for_the_filter_says_which_levels_fit():
    with pytest.raises(GridError, match="Try levels=2"):
        model_continuity(held, signal=recording(1000), refine="recorded", levels=3, decimator="fir")


def test_a_decimator_is_for_recordings():
    with pytest.raises(ConfigError, match="recorded"):
        model_continuity(held, decimator="fir")
    with pytest.raises(ConfigError, match="phase, fir"):
        model_continuity(held, signal=recording(), refine="recorded", decimator="mean")
