"""The solution of a layer's own equation beside closed forms and beside its ladder of grids."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from timegrain.continuity import ode_output
from timegrain.continuity.model.adapters import to_double
from timegrain.core.errors import GridError, ModelError
from timegrain.models import build_layer

TIMES = np.arange(9.0)


def wave(times):
    return 0.4 + np.sin(0.5 * times[:, None] + np.arange(2.0))


def layer(name, **options):
    steps = {"dt_min": 0.05, "dt_max": 0.2}
    return to_double(build_layer(name, d_model=2, seed=1, **steps, **options).eval())


def romberg(model, dt, levels=7):
    """The limit of the layer's outputs, errors being series in the step, and its own error."""
    runs = []
    for j in range(levels + 1):
        grid = np.arange(8 * 2**j + 1) / 2**j
        x = torch.from_numpy(wave(dt * grid)[None])
        with torch.no_grad():
            runs.append(model(x, 2.0**-j).numpy()[0, :: 2**j])
    for power in range(1, levels + 1):
        before = runs
        runs = [fine + (fine - coarse) / (2.0**power - 1) for coarse, fine in pairwise(runs)]
    return runs[0], np.abs(runs[0] - before[-1]).max()


@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("s4d", {"n_pairs": 2}),
        ("s4d", {"n_pairs": 2, "init": "real"}),
        ("s4d", {"n_pairs": 2, "discretization": "trapezoidal"}),
        ("s4", {"n_state": 4}),
        ("s5", {"n_state": 4, "n_blocks": 1}),
        ("s6", {"n_state": 3}),
        ("s6", {"n_state": 3, "discretization": "zoh"}),
    ],
)
def test_it_is_the_limit_of_the_layer_on_finer_grids(name, options, skip):
    model = layer(name, skip=skip, **options)
    limit, own = romberg(model, dt=0.5)
    exact = ode_output(model, wave, 0.5 * TIMES, dt=0.5)
    # The extrapolated limit is as good as its last two columns agree; the solution to 1e-10.
    assert own < 1e-6 * np.abs(exact).max()
    assert np.abs(exact - limit).max() < 10 * own + 1e-9 * np.abs(exact).max()


def test_it_is_the_closed_form_of_one_mode():
    model = layer("s4d", n_pairs=1, skip=False)
    step, pole = model.log_dt.detach().exp().numpy(), model.modes.detach().numpy()[:, 0]
    C = torch.view_as_complex(model.C).detach().numpy()[:, 0]
    exact = ode_output(model, lambda t: np.ones((t.size, 2)), TIMES)
    state = np.expm1(step * pole * TIMES[:, None]) / pole
    np.testing.assert_allclose(exact, 2 * (C * state).real, rtol=0, atol=1e-9)


def test_what_has_no_equation_is_refused():
    with pytest.raises(ModelError, match="no differential equation is known of GRU"):
        ode_output(build_layer("gru", d_model=2, seed=0), wave, TIMES)
    with pytest.raises(GridError, match="ascend"):
        ode_output(layer("s4d"), wave, TIMES[::-1])
