"""Layers that stop selecting: what theory says of them, exactly."""

import numpy as np
import pytest
import torch

from timegrain.continuity.model.adapters import to_double
from timegrain.continuity.selective.held import PARTS, hold
from timegrain.continuity.selective.layers import selected, selective_layers
from timegrain.core.errors import ModelError
from timegrain.models import build_layer, build_model


def layer(name="s6", **options):
    return to_double(build_layer(name, d_model=4, seed=3, skip=False, **options).eval())


def signal(n=20, channels=4):
    t = np.arange(n)[:, None]
    return np.sin(0.3 * t + np.arange(channels))[None] + 0.2


def held_copy(model, held, x, rule="euler_b"):
    means = {s.name: s.means() for s in selected(model, x)}
    return hold(model, PARTS[held], means, discretization=rule)


def answer(model, x, tau=1.0):
    with torch.no_grad():
        return model(torch.from_numpy(x), tau).numpy()


@pytest.mark.parametrize("rule", ["euler_b", "zoh"])
@pytest.mark.parametrize(("held", "degree"), [("delta", 3), ("all", 1)])
def test_a_held_step_leaves_a_homogeneous_map(held, degree, rule):
    # B(u) u is quadratic and C(u) h multiplies by u once more; all of it is rounding beyond that.
    x = signal()
    model = held_copy(layer(), held, x, rule)
    one = answer(model, x, 0.5)
    many = answer(model, 8 * x, 0.5)
    np.testing.assert_allclose(many, 8**degree * one, rtol=0, atol=1e-12 * np.abs(many).max())


@pytest.mark.parametrize("held", ["nothing", "B", "C"])
def test_a_selected_step_does_not(held):
    x = signal()
    model = held_copy(layer(), held, x)
    degree = 3 if held == "nothing" else 2
    many = answer(model, 8 * x)
    assert np.abs(many - 8**degree * answer(model, x)).max() > 1e-3 * np.abs(many).max()


@pytest.mark.parametrize("held", list(PARTS))
@pytest.mark.parametrize("tau", [1.0, 0.25])
def test_nothing_changes_where_there_is_nothing_to_select(held, tau):
    # a constant input selects the same at all times, which is its mean
    x = np.repeat(signal(1), 12, axis=1)
    model = layer()
    np.testing.assert_allclose(
        answer(held_copy(model, held, x), x, tau), answer(model, x, tau), rtol=1e-12, atol=1e-14
    )


def test_each_held_part_changes_the_output_and_the_model_stays_as_it_was():
    x = signal()
    model = layer("mamba")
    before = answer(model, x)
    outputs = [answer(held_copy(model, held, x), x) for held in PARTS]
    np.testing.assert_array_equal(outputs[0], before)
    for output in outputs[1:]:
        assert np.abs(output - before).max() > 1e-6 * np.abs(before).max()
    np.testing.assert_array_equal(answer(model, x), before)


def test_what_is_seen_is_what_the_layer_selects():
    model, x = layer(), signal()
    (seen,) = selected(model, x)
    delta, B, C = (part.detach().numpy() for part in model.select(torch.from_numpy(x)))
    np.testing.assert_array_equal(seen.delta, delta)
    np.testing.assert_array_equal(seen.B, B)
    np.testing.assert_array_equal(seen.C, C)
    np.testing.assert_allclose(seen.poles[0], -np.arange(1, 17), rtol=1e-6)  # float32 logarithms


def test_layers_within_networks_are_found_by_name():
    net = build_model("mamba", d_input=2, d_output=2, d_model=4, n_layers=2, head="step", seed=0)
    net = to_double(net.eval())
    assert list(selective_layers(net)) == ["blocks.0.mixer.ssm", "blocks.1.mixer.ssm"]
    seen = selected(net, signal(channels=2))
    assert [s.delta.shape for s in seen] == [(1, 20, 8)] * 2


def test_a_model_that_selects_nothing_is_refused():
    with pytest.raises(ModelError, match="selects nothing"):
        selective_layers(torch.nn.Linear(2, 2))


def test_layers_that_are_never_called_are_told():
    class Idle(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.ssm = layer()

        def forward(self, x):
            return x

    with pytest.raises(ModelError, match="calls none"):
        selected(Idle(), signal())
