"""Errors against the solution of a layer's own equation."""

import numpy as np
import pytest
import torch

from timegrain.continuity import ModelAdapter, model_continuity, ode_output
from timegrain.continuity.model.adapters import to_double
from timegrain.core.errors import ConfigError, ModelError
from timegrain.models import build_layer

SMALL = {"d_model": 2, "length": 16, "levels": 3, "seeds": 1, "reference": "ode"}
FEW = {"n_state": 2, "dt_min": 0.05, "dt_max": 0.2}


def wave(times):
    return 0.4 + np.sin(0.5 * times[:, None] + np.arange(2.0))


def layer(name="s6", **options):
    return to_double(build_layer(name, d_model=2, seed=1, skip=False, **options).eval())


def errors_by_hand(model, amplitude, *, dt=1.0, trained_dt=None):
    """Relative errors of a layer on each grid, each run and its reference made here."""
    clock, times = trained_dt or dt, dt * np.arange(16)
    exact = ode_output(model, lambda t: amplitude * wave(t), times, dt=clock)
    for j in range(4):
        fine = dt * np.arange(15 * 2**j + 1) / 2**j
        with torch.no_grad():
            x = torch.from_numpy(amplitude * wave(fine)[None])
            y = model(x, dt / clock / 2**j).numpy()[0, :: 2**j]
        yield np.abs(y - exact).max() / np.abs(exact).max()


@pytest.mark.parametrize(("name", "options"), [("s6", FEW), ("s5", FEW | {"n_blocks": 1})])
def test_errors_are_against_the_solution_at_every_amplitude(name, options):
    model = layer(name, **options)
    result = model_continuity(
        model, signal=wave, amplitudes=(0.5, 2.0), length=16, levels=3, reference="ode"
    )
    wanted = [e for a in (0.5, 2.0) for e in errors_by_hand(model, a)]
    # a linear layer is solved once at amplitude 1: to the tolerance of the solution, 1e-10
    np.testing.assert_allclose([row.error for row in result.errors], wanted, rtol=0, atol=1e-9)
    assert result.reference == "ode"
    assert result.error_budget.reference < 1e-8
    assert any("own differential equation" in note for note in result.notes)
    assert "(the layer's own equation)" in repr(result)


def test_a_layer_trained_at_another_step_keeps_its_clock():
    model = layer("s6", **FEW)
    told = ModelAdapter(model, trained_dt=0.5)
    result = model_continuity(told, signal=wave, length=16, levels=3, reference="ode")
    wanted = list(errors_by_hand(model, 1.0, trained_dt=0.5))
    np.testing.assert_allclose([row.error for row in result.errors], wanted, rtol=0, atol=1e-9)


def test_nothing_else_changes():
    asked = model_continuity("s5", options=FEW | {"n_blocks": 1}, **SMALL)
    plain = model_continuity(
        "s5", options=FEW | {"n_blocks": 1}, **(SMALL | {"reference": "ladder"})
    )
    assert (asked.order, asked.orders, asked.memory) == (plain.order, plain.orders, plain.memory)
    for own, limit in zip(asked.errors, plain.errors, strict=True):
        # four grids extrapolate to the same limit within some hundredths of the first error
        assert own.error == pytest.approx(limit.error, abs=0.1 * asked.errors[0].error)
        assert own.error != limit.error


@pytest.mark.parametrize(
    ("model", "other", "error", "match"),
    [
        ("gru", {}, ModelError, "no differential equation is known of gru"),
        ("mamba", {}, ModelError, "no differential equation is known of Mamba"),
        ("s5", {"scope": "network", "d_model": 8, "d_input": 1}, ModelError, "S5 or S6 alone"),
        ("s5", {"protocol": "native"}, ConfigError, "told its step"),
        ("s5", {"signal": "brownian"}, ConfigError, "known at every time"),
        ("s5", {"signal": "steps"}, ConfigError, "without jumps"),
        ("s5", {"refine": "interpolate"}, ConfigError, "known at every time"),
        ("s5", {"reference": "exact"}, ConfigError, "ladder, ode"),
        (np.tanh, {"d_model": 64}, ModelError, "no differential equation"),
    ],
)
def test_what_it_does_not_go_with_is_refused(model, other, error, match):
    with pytest.raises(error, match=match):
        model_continuity(model, **(SMALL | other))


def test_an_adapter_that_tells_the_step_in_its_own_way_has_no_such_reference():
    scaled = ModelAdapter(layer("s4d", n_pairs=2), tau="log_dt")
    with pytest.raises(ModelError, match="told by an adapter"):
        model_continuity(scaled, signal=wave, length=16, levels=3, reference="ode")
