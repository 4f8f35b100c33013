"""Clipping of gradients, against torch's own."""

import pytest
import torch
from torch import nn

from timegrain.training.trainer.mover import clip_gradients


def parameters(scale):
    """Three tensors with gradients of norm `13 scale`, and one without."""
    made = [nn.Parameter(torch.zeros(n)) for n in (1, 2, 3, 2)]
    for parameter, values in zip(made, ([3.0], [4.0, 0.0], [12.0, 0.0, 0.0]), strict=False):
        parameter.grad = scale * torch.tensor(values)
    return made


@pytest.mark.parametrize("scale", [0.5, 0.0768, 1 / 13, 0.07, 0.0, 1e-9, float("nan"), 1e30])
@pytest.mark.parametrize("largest", [1.0, 1e-7])
def test_gradients_are_those_of_torch_to_the_bit(scale, largest):
    ours, theirs = parameters(scale), parameters(scale)
    clip_gradients(ours, largest)
    nn.utils.clip_grad_norm_(theirs, largest)
    for a, b in zip(ours[:3], theirs[:3], strict=True):
        assert torch.equal(a.grad.view(torch.int32), b.grad.view(torch.int32))
    assert ours[3].grad is None


def test_no_gradient_is_no_error():
    clip_gradients([nn.Parameter(torch.zeros(2))], 1.0)
