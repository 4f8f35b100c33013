import pytest
import torch

from timegrain.core.errors import LayoutError, ModelError
from timegrain.models import SequenceLayer, build_layer


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
