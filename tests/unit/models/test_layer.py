import re

import numpy as np
import pytest
import torch

from timegrain.core.errors import LayoutError, ModelError
from timegrain.models import SequenceLayer, build_layer, build_model


class Smooth(SequenceLayer):
    """A weighted mean of all samples: needs the whole sequence and keeps no state."""

    steps = False
    order = 1

    def _mix(self, x, state, steps, *, return_state):
        weights = steps.weights(x)[..., None]
        return (x * weights).sum(1, keepdim=True) / weights.sum(1, keepdim=True) + 0 * x, None

    def _advance(self, x_t, state, ratio):
        raise NotImplementedError


def test_a_layer_of_ones_own_gets_tau_and_lengths_checked_and_padding_cleared():
    x = torch.arange(6.0).view(1, 6, 1)
    x[0, 4:] = float("nan")
    y = Smooth(1)(x, torch.tensor([2.0]), lengths=torch.tensor([4]))
    assert y.flatten().tolist() == [1.5] * 6
    assert list(Smooth(1).dynamics_parameters()) == []


def test_what_a_layer_cannot_do_is_an_error_that_says_what_it_can():
    with pytest.raises(ModelError, match=r"Smooth cannot step\.\nTry forward\(\) instead"):
        Smooth(1).step(torch.zeros(1, 1))
    with pytest.raises(ModelError, match=r"Smooth keeps no state\.\nTry forward\(\) instead"):
        Smooth(1).scan(torch.zeros(1, 3, 1))


def test_a_layer_without_its_parts_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        SequenceLayer(1)


@pytest.mark.parametrize("name", ["s4", "s4d", "s5", "s6", "mamba", "transformer", "gru", "tcn"])
def test_a_state_of_another_batch_is_named_as_such(name):
    layer = build_layer(name, 4, seed=0).double()
    x = torch.randn(3, 5, 4, dtype=torch.float64)
    _, state = layer.scan(x[:2])
    for call in (lambda: layer.scan(x, state), lambda: layer.step(x[:, 0], state)):
        with pytest.raises(LayoutError, match=r"a state of 2 sequences and an input of 3"):
            call()


@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ["s4", "s4d", "s5"])
def test_complex_modes_refuse_weights_of_half_precision_and_name_autocast(name, half):
    layer = build_layer(name, 4, seed=0).to(half)
    x = torch.randn(2, 5, 4, dtype=half)
    tau = torch.ones(2, 5)
    for call in (
        lambda: layer(x),
        lambda: layer(x, tau),
        lambda: layer.scan(x),
        lambda: layer.step(x[:, 0]),
    ):
        with pytest.raises(ModelError, match=r"no half precision, got weights[^T]*Try .*autocast"):
            call()
    assert layer.float()(x).dtype == half


EVERY = ["s4", "s4d", "s5", "s6", "mamba", "transformer", "gru", "tcn"]
OPENED = {"discretization": "foh"}


def calls(layer, x, state=None):
    return (lambda: layer.scan(x, state), lambda: layer.step(x[:, 0], state))


@pytest.mark.parametrize("kind", [torch.int64, torch.complex128, torch.bool])
@pytest.mark.parametrize("name", EVERY)
def test_an_input_of_other_than_real_numbers_is_refused_by_scan_and_step_alike(name, kind):
    layer, x = build_layer(name, 4, seed=0).double(), torch.ones(2, 3, 4, dtype=torch.float64)
    _, state = layer.scan(x)
    for call in calls(layer, x.to(kind), state):
        with pytest.raises(LayoutError, match=f"got a tensor of {kind}, expected a tensor"):
            call()


@pytest.mark.parametrize("x", [None, [1.0], np.zeros((2, 3, 4))])
def test_an_input_that_is_no_tensor_is_named(x):
    layer = build_layer("s4d", 4, seed=0)
    for call in (lambda: layer(x), lambda: layer.step(x)):
        with pytest.raises(LayoutError, match=f"got {type(x).__name__}, expected a tensor"):
            call()


@pytest.mark.parametrize("name", ["s6", "mamba", "transformer", "gru", "tcn"])
def test_layers_of_one_precision_say_which(name):
    layer, x = build_layer(name, 4, seed=0), torch.ones(2, 3, 4, dtype=torch.float64)
    for call in calls(layer, x):
        with pytest.raises(ModelError, match=r"differ in precision.*\nTry x.to\(torch.float32"):
            call()
    with torch.autocast("cpu", torch.bfloat16):
        assert layer(x.bfloat16()).isfinite().all()


@pytest.mark.parametrize(
    ("name", "options"), [*((name, {}) for name in EVERY), ("s4d", OPENED), ("s5", OPENED)]
)
def test_a_state_of_another_form_is_refused_by_scan_and_step_alike(name, options):
    layer, x = build_layer(name, 4, seed=0, **options), torch.ones(2, 3, 4)
    _, own = layer.scan(x)
    wrong_ones = ["a", 0, (), torch.zeros(2), torch.zeros(2, 9, 9, 9), (own, own)]
    if name != "s5" or options:  # whose modes are those of all channels together
        wrong_ones.append(build_layer(name, 6, seed=0, **options).scan(torch.ones(2, 3, 6))[1])
    for wrong in wrong_ones:
        for call in calls(layer, x, wrong):
            with pytest.raises(LayoutError, match=f"{type(layer).__name__} cannot go on from"):
                call()
    _, after = layer.step(x[:, 0], own)
    layer.scan(x, after)


@pytest.mark.parametrize("rule", ["bilinear", "trapezoidal"])
def test_the_states_of_s4_and_s4d_are_of_two_forms(rule):
    x = torch.ones(2, 3, 4)
    both = [
        build_layer("s4", 4, seed=0, n_state=6, discretization=rule),
        build_layer("s4d", 4, seed=0, n_pairs=3, discretization=rule),
    ]
    for layer, other in (both, both[::-1]):
        for call in calls(layer, x, other.scan(x)[1]):
            with pytest.raises(LayoutError, match="cannot go on from this state"):
                call()


@pytest.mark.parametrize(("name", "options"), [("s5", OPENED), ("mamba", {}), ("tcn", {})])
def test_a_state_of_several_parts_may_be_a_list(name, options):
    layer, x = build_layer(name, 4, seed=0, **options), torch.randn(2, 3, 4)
    own = layer.scan(x)[1]
    for one, other in zip(calls(layer, x, list(own)), calls(layer, x, own), strict=True):
        assert torch.equal(one()[0], other()[0])


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
@pytest.mark.parametrize(
    ("name", "refused"), [("s6", "S6 cannot take this input"), (None, "takes a dense tensor")]
)
def test_sparse_and_nested_inputs_are_refused_with_the_way_out(name, refused):
    model = (
        build_layer(name, 4)
        if name
        else build_model("gru", d_input=4, d_output=1, d_model=2, n_layers=1)
    )
    x = torch.ones(2, 3, 4)
    nested = torch.nested.nested_tensor([x[0], x[1]])
    for given, cure in ((x.to_sparse(), r"to_dense\(\)"), (nested, r"to_padded_tensor\(0.0\)")):
        with pytest.raises(LayoutError, match=rf"{refused}.*\nTry x.{cure}"):
            model(given)


@pytest.mark.parametrize(
    ("name", "options"), [*((name, {}) for name in EVERY), ("s4d", OPENED), ("s5", OPENED)]
)
@pytest.mark.parametrize("kind", [torch.float32, torch.float64], ids=str)
def test_a_state_of_another_precision_is_refused_by_scan_and_step_alike(name, options, kind):
    layer, x = build_layer(name, 4, seed=0, **options).double(), torch.ones(2, 3, 4).double()
    state = layer.scan(x)[1]
    if kind == torch.float64:
        state = layer.float().scan(x.float())[1]
    layer, x = layer.to(kind), x.to(kind)
    for call in calls(layer, x, state):
        with pytest.raises(ModelError, match="the state and the weights differ in precision"):
            call()


def test_the_form_of_states_is_written_out():
    for name, form in [
        ("s4d", "complex (batch, 4, 32)"),
        ("mamba", "((batch, 3, 8), (batch, 8, 16))"),
        ("transformer", "Seen((batch, 4, any, 1), (batch, 4, any, 1), (batch, any), (batch,))"),
    ]:
        layer = build_layer(name, 4, seed=0, **({"positions": "none"} if form[0] == "S" else {}))
        with pytest.raises(LayoutError, match=re.escape(f"got (2, 7), expected {form}, as scan")):
            layer.step(torch.ones(2, 4), torch.zeros(2, 7))
