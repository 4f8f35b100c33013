"""A network that is trained on cases as they are made learns what one does on cases held."""

import pytest

from timegrain import build_model, train
from timegrain.data import make_task
from timegrain.data.generated.dataset import generated_dataset
from timegrain.data.generated.lazy import lazy_dataset
from timegrain.training.held_out import hold_out


def trained(task, head):
    model = build_model(
        "gru",
        d_input=task.d_input,
        d_output=task.d_output,
        d_model=4,
        n_layers=1,
        head=head,
        seed=0,
    )
    return train(model, task, stages=((1, 2),), batch_size=8, seed=0, tbptt=8).score


@pytest.mark.parametrize(("name", "options"), [("walk", {}), ("echo", {"each": True})])
def test_training_does_not_depend_on_where_cases_are(name, options, request):
    generator = request.getfixturevalue(name).turned(**options)
    head, every = ("step", True) if generator.per_sample else ("mean", False)
    held = make_task(generated_dataset(generator), each_sample=every)
    made = make_task(lazy_dataset(generator), lazy=True, each_sample=every)
    # inputs differ by a rounding at most, which a few steps of a small network do not blow up
    assert trained(made, head) == pytest.approx(trained(held, head), abs=1e-4)
    inner = hold_out(made)
    assert inner.sentence == hold_out(held).sentence
    assert len(inner.task.train) + len(inner.task.test) == len(held.train)
