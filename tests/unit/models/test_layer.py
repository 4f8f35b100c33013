import pytest
import torch

from timegrain.core.errors import ModelError
from timegrain.models import SequenceLayer


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
