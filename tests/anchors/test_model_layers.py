"""What S4D, S6 and GRU are known to do when their grid is refined."""

import functools

import numpy as np
import pytest

from timegrain.continuity.model.measure import ModelContinuity, model_continuity
from timegrain.core import ConfigError, Outcome

SWEEP = (0.1, 1.0, 10.0)


@functools.cache
def swept(name: str, **options: str) -> ModelContinuity:
    return model_continuity(name, amplitudes=SWEEP, options=options)


def at_working_grid(result: ModelContinuity) -> dict[float, float]:
    return {row.amplitude: row.error for row in result.errors if row.tau == 1.0}


@pytest.mark.slow
def test_s4d_is_continuous_at_first_order_whatever_the_amplitude():
    result = swept("s4d")
    assert result.outcome is Outcome.CONVERGES
    assert result.order == pytest.approx(1.0, abs=0.05)
    assert abs(result.amplitude_exponent) < 1e-3
    assert (result.declared_order, result.n_pairs, result.dtype) == (1, 20, "float64")
    low, high = result.interval
    assert low <= result.order <= high


@pytest.mark.slow
def test_the_error_of_s6_with_eulers_b_grows_with_amplitude():
    result = swept("s6")
    assert result.outcome is Outcome.CONVERGES
    assert result.amplitude_exponent > 0.3
    low, high = result.amplitude_interval
    assert 0.3 < low <= result.amplitude_exponent <= high
    error = at_working_grid(result)
    assert error[10.0] > 5 * error[0.1]


@pytest.mark.slow
def test_a_held_b_makes_s6_grow_less():
    held, euler = swept("s6", discretization="zoh"), swept("s6")
    assert held.outcome is Outcome.CONVERGES
    assert 0.0 < held.amplitude_exponent < euler.amplitude_exponent
    assert held.options == {"discretization": "zoh"}
    assert "discretization=zoh" in repr(held)


@pytest.mark.parametrize("name", ["s6", "gru", "s4d"])
def test_a_recurrence_that_is_not_told_its_step_loses_its_memory(name):
    result = model_continuity(name, protocol="native", d_model=16, seeds=5)
    assert result.outcome is Outcome.MEMORY_COLLAPSES
    assert result.protocol == "native"


def test_a_gru_is_measured_natively_even_if_asked_to_rescale():
    result = model_continuity("gru", d_model=8, seeds=3)
    assert result.protocol == "native"
    assert not result.takes_tau
    assert "takes_tau = False" in result.reasons["protocol"]
    assert not any("skip" in note for note in result.notes)


def test_s4d_by_convolution_and_by_scan_are_one_model():
    conv, scan = (
        model_continuity("s4d", d_model=8, seeds=2, options={"form": form})
        for form in ("conv", "scan")
    )
    # Both carry rounding of the sums over 4,033 steps, 4,033 eps = 9e-13 at most.
    for part, field in (("errors", "error"), ("orders", "difference"), ("memory", "memory")):
        pairs = zip(getattr(conv, part), getattr(scan, part), strict=True)
        gaps = [abs(getattr(a, field) - getattr(b, field)) for a, b in pairs]
        assert max(gaps) < 1e-10, part


def test_the_skip_term_is_left_out_and_the_output_says_so():
    small = {"d_model": 8, "seeds": 2, "levels": 3}
    without = model_continuity("s6", **small)
    assert any("skip term D u is left out" in note for note in without.notes)
    kept = model_continuity("s6", options={"skip": True}, **small)
    assert any("is kept, as asked" in note for note in kept.notes)
    assert kept.errors[0].error < without.errors[0].error


def test_the_skip_term_hides_that_memory_collapses():
    small = {"d_model": 8, "seeds": 3, "protocol": "native"}
    assert model_continuity("s6", **small).outcome is Outcome.MEMORY_COLLAPSES
    hidden = model_continuity("s6", options={"skip": True}, **small)
    first, last = hidden.memory[0].memory, hidden.memory[-1].memory
    alone = model_continuity("s6", **small).memory
    # With the skip term the bump's own height is in max |dF|, so that memory reads small at once.
    assert first < alone[0].memory / 2
    assert last < first


def test_a_network_hides_amplitude_and_says_so():
    small = {"d_model": 16, "seeds": 5, "levels": 4, "amplitudes": SWEEP}
    network = model_continuity("s6", scope="network", **small)
    assert network.scope == "network"
    assert any("hides the amplitude" in note for note in network.notes)
    assert network.declared_order == 1
    error = at_working_grid(network)
    assert error[10.0] < 5 * error[0.1]


def test_a_layer_object_is_measured_with_its_skip_term_and_says_so():
    from timegrain.models import build_layer

    result = model_continuity(build_layer("s4d", d_model=4, seed=0), seeds=2, levels=3)
    assert result.scope == "model"
    assert result.d_input == 4
    assert result.declared_order == 1
    assert any("with its skip term" in note for note in result.notes)


def test_a_pooling_backbone_shows_its_memory():
    from timegrain.models import build_model

    net = build_model("s4d", d_input=2, d_output=3, d_model=8, n_layers=1, seed=0)
    result = model_continuity(net, seeds=3, levels=4)
    assert result.d_input == 2
    assert result.layers == ("output", "features")
    assert result.memory[0].memory > 1.0
    assert result.outcome is Outcome.CONVERGES


def test_every_pair_is_a_new_layer_and_a_new_signal():
    one = model_continuity("s4d", d_model=4, seeds=1, levels=3)
    two = model_continuity("s4d", d_model=4, seeds=2, levels=3)
    assert one.errors != two.errors
    assert np.isfinite([row.error for row in two.errors]).all()


def test_a_layer_takes_its_own_width():
    with pytest.raises(ConfigError, match="d_model=3"):
        model_continuity("s4d", d_input=3)


def test_an_unknown_option_of_a_layer_is_refused():
    with pytest.raises(ConfigError, match="discretization"):
        model_continuity("s6", options={"discretisation": "zoh"})
