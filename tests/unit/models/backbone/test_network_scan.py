"""Parts of sequences, one after the other, against the whole: values, states and gradients."""

import pytest
import torch

from timegrain.core.errors import LayoutError, ModelError
from timegrain.models import Backbone, build_model, models
from timegrain.models.backbone.frame import Frame
from timegrain.models.layers.gru import GRU
from timegrain.models.state import map_state

TIME, LENGTHS = 23, torch.tensor([23, 9, 4, 15])
# a sequence has ended before the second, the third and the last part; the last part is one sample
STEPPING = [name for name in models.names() if name != "ckconv"]  # which needs whole sequences
CUTS = (8, 7, 7, 1)


class NeedsAll(GRU):
    steps = False


def network(name, **frame):
    options = {"s4d": {"n_pairs": 3}, "s6": {"n_state": 3}}.get(name, {}) | frame
    return build_model(
        name, d_input=2, d_output=3, d_model=6, n_layers=2, final_norm=True, seed=0, **options
    ).double()


def given(kind):
    random = torch.Generator().manual_seed(1)
    x = torch.randn(4, TIME, 2, generator=random, dtype=torch.float64)
    tau = {
        "one": 1.0,
        "slow": 2.5,
        "each": torch.tensor([0.5, 1.0, 2.0, 4.0]),
        "samples": 0.25 + torch.rand(4, TIME, generator=random, dtype=torch.float64),
    }[kind]
    return x, tau


def chunked(model, x, tau, lengths):
    state, parts, start = None, [], 0
    for count in CUTS:
        stop = start + count
        told = tau[:, start:stop] if isinstance(tau, torch.Tensor) and tau.ndim == 2 else tau
        left = None if lengths is None else (lengths - start).clamp(0, count)
        features, state = model.scan(x[:, start:stop], state, tau=told, lengths=left)
        parts.append(features)
        start = stop
    return torch.cat(parts, 1), state


def close(got, wanted):
    torch.testing.assert_close(got, wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", STEPPING)
@pytest.mark.parametrize("kind", ["one", "slow", "each", "samples"])
@pytest.mark.parametrize("lengths", [None, LENGTHS])
def test_parts_have_the_features_states_and_gradients_of_the_whole(name, kind, lengths):
    model, (x, tau) = network(name), given(kind)
    valid = torch.arange(TIME) < (torch.full((4,), TIME) if lengths is None else lengths)[:, None]
    weight = torch.randn(4, TIME, 6, generator=torch.Generator().manual_seed(2)).double()

    def gradients(features):
        model.zero_grad()
        (features * weight)[valid].sum().backward()
        return [p.grad.clone() for p in model.parameters() if p.grad is not None]

    whole, after = model.scan(x, tau=tau, lengths=lengths)
    got, carried = chunked(model, x, tau, lengths)
    close(got[valid], whole[valid])
    close(whole[valid], model.features(x, tau, lengths=lengths)[valid])
    for a, b in zip(carried, after, strict=True):
        close(a, b)
    wanted = gradients(whole)
    scale = max(float(g.abs().max()) for g in wanted)
    for a, b in zip(gradients(got), wanted, strict=True):
        torch.testing.assert_close(a / scale, b / scale, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", STEPPING)
def test_a_detached_state_cuts_the_gradient_and_nothing_else(name):
    model, (x, _) = network(name), given("one")
    x.requires_grad_()
    _, state = model.scan(x[:, :10])
    joined, _ = model.scan(x[:, 10:], state)
    apart, _ = model.scan(x[:, 10:], map_state(torch.Tensor.detach, state))
    assert torch.equal(joined, apart)
    (through,) = torch.autograd.grad(joined.sum(), x, retain_graph=True)
    (cut,) = torch.autograd.grad(apart.sum(), x)
    assert bool(through[:, :10].any())
    assert not bool(cut[:, :10].any())


def test_a_sequence_that_has_ended_keeps_its_state():
    for name in STEPPING:
        model, (x, _) = network(name), given("one")
        _, state = model.scan(x[:, :8])
        _, after = model.scan(x[:, 8:], state, lengths=torch.tensor([15, 0, 3, 0]))
        # States that grow are padded, so that what comes of them is compared.
        onward, same = (model.scan(x, s)[0] for s in (state, after))
        close(same[[1, 3]], onward[[1, 3]])
        assert not torch.allclose(same[[0, 2]], onward[[0, 2]])


@torch.no_grad()
@pytest.mark.parametrize("name", STEPPING)
def test_steps_are_the_scan(name):
    (x, tau), options = given("samples"), {"norm_position": "post", "norm": "batch", "mix": "mlp"}
    for model in (network(name), network(name, **options).eval()):
        whole, last = model.scan(x, tau=tau)
        state, parts = None, []
        for k in range(TIME):
            features, state = model.step(x[:, k], state, tau=tau[:, k])
            parts.append(features)
        close(torch.stack(parts, 1), whole)
        close(state, last)


def test_a_step_takes_one_sample():
    model = network("gru")
    with pytest.raises(
        LayoutError, match=r"one sample of each.*got shape \(4, 9, 2\).*\(batch, 2\)"
    ):
        model.step(torch.zeros(4, 9, 2).double())
    with pytest.raises(LayoutError, match="cannot take this input"):
        model.step(torch.zeros(4, 3).double())
    model = build_model("gru", vocab=5, d_output=3, d_model=6, n_layers=1, seed=0)
    tokens = torch.tensor([[0, 3], [4, 1]])
    _, state = model.step(tokens[:, 0])
    torch.testing.assert_close(model.step(tokens[:, 1], state)[0], model.features(tokens)[:, 1])
    with pytest.raises(LayoutError, match=r"got shape \(2, 2\), expected \(batch,\)"):
        model.step(tokens)


def test_what_cannot_be_scanned_in_parts_is_refused():
    frame = Frame(d_input=2, d_output=3, d_model=6, n_layers=1)
    whole = Backbone(lambda: NeedsAll(6), frame, config={})
    assert not whole.steps
    with pytest.raises(ModelError, match="NeedsAll needs whole sequences"):
        whole.scan(torch.zeros(1, 4, 2))
    with pytest.raises(ModelError, match="NeedsAll needs whole sequences"):
        whole.step(torch.zeros(1, 2))
    model = network("gru")
    with pytest.raises(ModelError, match="1 states for 2 blocks"):
        model.scan(torch.zeros(1, 4, 2).double(), (torch.zeros(1, 6).double(),))
    with pytest.raises(LayoutError, match=r"points outside|outside the input"):
        model.scan(torch.zeros(1, 4, 2).double(), lengths=torch.tensor([5]))


@pytest.mark.parametrize("name", ["s4d", "gru"])
def test_a_state_of_single_precision_is_refused_in_double_as_an_input_is(name):
    model = build_model(name, d_input=2, d_output=1, d_model=4, n_layers=1, seed=0)
    x = torch.ones(1, 3, 2)
    _, state = model.scan(x)
    model.double()
    with pytest.raises(ModelError, match="the state and the weights differ in precision"):
        model.scan(x.double(), state)
    with pytest.raises(ModelError, match="one tensor for 1 blocks"):
        model.scan(x.double(), state[0])
