"""Moving the weights, against torch's own steps."""

import copy

import pytest
import torch
from torch import nn

from timegrain.training.optimise import make_optimiser
from timegrain.training.trainer.mover import Mover

SHAPES = (4, 1), (4,), (2, 4), (2,)


def network(dtype=torch.float32):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(1, 4), nn.Linear(4, 2)).to(dtype)


def optimiser_of(model):
    return make_optimiser(model, lr=1e-2, dynamics_lr=1e-3, weight_decay=0.1)


class Theirs(Mover):
    """Asks the optimiser always."""

    def __init__(self, *args):
        super().__init__(*args)
        self._lean = False


def walk(mover, first, last, *, without=None):
    """Do steps with gradients that follow from their number."""
    for number in range(first, last):
        mover.begin([1e-2 * (1 + number) for _ in mover.optimiser.param_groups])
        assert all(p.grad is None for p in mover.weights)
        generator = torch.Generator().manual_seed(number)
        for i, p in enumerate(mover.weights):
            if (number, i) != without:
                p.grad = torch.randn(SHAPES[i], generator=generator).to(p)
        mover.move()


def everything(model, optimiser):
    kept = optimiser.state_dict()["state"]
    return [*model.parameters(), *(kept[i][name] for i in kept for name in sorted(kept[i]))]


def assert_equal(*pairs):
    (a, b) = (everything(*pair) for pair in pairs)
    assert len(a) == len(b) == 4 * 4
    assert all(torch.equal(x, y) and x.dtype == y.dtype for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("without", [None, (2, 1)])
def test_steps_are_those_of_torch_to_the_bit(dtype, without):
    made = []
    for kind in (Mover, Theirs):
        model = network(dtype)
        optimiser = optimiser_of(model)
        walk(kind(optimiser, 1.0), 0, 5, without=without)
        made.append((model, optimiser))
    assert_equal(*made)


def test_state_may_be_saved_and_loaded_in_between():
    model = network()
    optimiser = optimiser_of(model)
    mover = Mover(optimiser, 1.0)
    walk(mover, 0, 3)
    weights, state = copy.deepcopy(model.state_dict()), copy.deepcopy(optimiser.state_dict())
    walk(mover, 3, 6)
    model.load_state_dict(weights)
    optimiser.load_state_dict(state)
    walk(mover, 3, 5)
    other = network()
    theirs = optimiser_of(other)
    walk(Theirs(theirs, 1.0), 0, 5)
    assert_equal((model, optimiser), (other, theirs))


def test_another_optimiser_steps_by_itself():
    models = [network(), network()]
    ours, theirs = (torch.optim.SGD(m.parameters(), lr=1.0, momentum=0.5) for m in models)
    walk(Mover(ours, 1e9), 0, 3)
    for number in range(3):
        generator = torch.Generator().manual_seed(number)
        theirs.param_groups[0]["lr"] = 1e-2 * (1 + number)
        for p in models[1].parameters():
            p.grad = torch.randn(p.shape, generator=generator)
        theirs.step()
    assert all(map(torch.equal, models[0].parameters(), models[1].parameters()))
