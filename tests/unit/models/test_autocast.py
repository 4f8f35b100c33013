"""Networks in mixed precision: the products are rounded, time scales and sums are not."""

import pytest
import torch

from timegrain.models.backbone.pooling import masked_mean
from timegrain.models.build import build_layer, build_model
from timegrain.models.steps import read_step, read_steps

EPS = 2.0**-8  # of bfloat16
OPTIONS = {"s4d": {"n_pairs": 4}, "s6": {"n_state": 4}, "gru": {}}


def results(net, x, tau, lengths, *, half):
    net.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
        out = net(x, tau, lengths=lengths)
    out.float().square().mean().backward()
    return out.detach().float(), torch.cat([p.grad.flatten() for p in net.parameters()])


@pytest.mark.parametrize("name", ["s4d", "s6", "gru"])
@pytest.mark.parametrize("case", ["even", "ragged", "tau for each"])
def test_answers_and_gradients_are_those_of_single_precision_but_for_rounding(name, case):
    net = build_model(name, d_input=1, d_output=2, d_model=16, n_layers=2, seed=0, **OPTIONS[name])
    random = torch.Generator().manual_seed(1)
    x = torch.randn(8, 130, 1, generator=random)
    lengths = None if case == "even" else torch.randint(5, 131, (8,), generator=random)
    tau = torch.rand(8, generator=random) + 0.5 if case == "tau for each" else 1.0
    out, gradient = results(net, x, tau, lengths, half=False)
    half, half_gradient = results(net, x, tau, lengths, half=True)
    assert half_gradient.isfinite().all()
    # six products deep (encoder, two blocks of two, head), two factors rounded to half an EPS and
    # one result; going back passes twice as many
    assert (half - out).norm() <= 6 * 1.5 * EPS * out.norm()
    assert (half_gradient - gradient).norm() <= 2 * 6 * 1.5 * EPS * gradient.norm()
    assert not torch.equal(half, out)  # something was rounded


def test_the_sum_over_blocks_and_the_steps_stay_precise():
    net = build_model("s6", d_input=1, d_output=2, d_model=16, n_layers=1, seed=0)
    x = torch.randn(2, 30, 1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert net.embed(x).dtype == torch.float32
        delta, inputs, _ = net.mixers[0].select(torch.randn(2, 30, 16))
    assert (delta.dtype, inputs.dtype) == (torch.float32, torch.bfloat16)


@pytest.mark.parametrize("tau", [1.3, torch.tensor([1.3, 1.3])])
def test_a_ratio_of_steps_is_not_rounded_to_the_input(tau):
    x = torch.zeros(2, 3, 1, dtype=torch.bfloat16)
    weights = read_steps(x, tau, torch.tensor([3, 2])).weights(x)
    assert weights.dtype == torch.float32
    assert float(weights[0, 0]) == pytest.approx(1.3, rel=1e-7)
    assert float(read_step(x[:, 0], tau).flatten()[0]) == pytest.approx(1.3, rel=1e-7)


LAYERS = {
    "s4": {"n_state": 8},
    "s4d": {"n_pairs": 4},
    "s4d-foh": {"n_pairs": 4, "discretization": "foh"},
    "s5": {"n_state": 8, "n_blocks": 2},
    "s6": {"n_state": 4},
    "mamba": {"n_state": 4},
    "transformer": {},
    "gru": {},
    "tcn": {"n_levels": 2},
}


@torch.no_grad()
@pytest.mark.parametrize("tau", [1.3, torch.tensor([1.3, 0.7])])
@pytest.mark.parametrize("name", LAYERS)
def test_steps_in_half_precision_are_the_scan(name, tau):
    layer = build_layer(name.split("-")[0], d_model=8, seed=0, **LAYERS[name])
    if not name.startswith(("s4", "s5")):  # there are no complex numbers of half precision
        layer = layer.bfloat16()
    x = torch.randn(2, 40, 8, generator=torch.Generator().manual_seed(1)).bfloat16()
    whole, _ = layer.scan(x, tau=tau)
    state, parts = None, []
    for x_t in x.unbind(1):
        y, state = layer.step(x_t, state, tau=tau)
        parts.append(y)
    stepped = torch.stack(parts, 1)
    assert whole.dtype == stepped.dtype == layer(x, tau).dtype == torch.bfloat16
    # some products are rounded on one way and not on the other
    assert (stepped.float() - whole.float()).abs().max() <= 4 * EPS * whole.float().abs().max()


def test_means_in_half_precision_count_all_samples():
    features = torch.ones(1, 70_000, 1, dtype=torch.float16)
    valid = torch.ones(1, 70_000, dtype=torch.bool)
    assert masked_mean(features, valid).item() == 1.0
