"""Scores from chunks against those of whole sequences."""

import dataclasses

import numpy as np
import pytest
import torch

from timegrain.core.errors import ModelError
from timegrain.models import build_model
from timegrain.training.objective import Objective
from timegrain.training.score import evaluate
from timegrain.training.truncated.long_batch import LongBatch
from timegrain.training.truncated.scoring import score_in_chunks
from timegrain.training.units import score_units


def network(task, name="s4d", head="mean"):
    return build_model(
        name, d_input=1, d_output=task.d_output, d_model=4, n_layers=2, head=head, seed=0
    )


def scored(model, task, **options):
    objective, per_step = Objective.of(task), model.pooling == "step"
    long = LongBatch.of(task.test, objective, per_step=per_step)
    return score_in_chunks(model, long, objective, units=score_units(task), **options)


def same(got, wanted):
    # float32 through 24 samples
    assert got.score == pytest.approx(wanted.score, abs=1e-5)
    assert got.low == pytest.approx(wanted.low, abs=1e-4)
    assert (got.correct, got.n, got.over) == (wanted.correct, wanted.n, wanted.over)


@pytest.mark.parametrize("name", ["s4d", "s6", "gru"])
@pytest.mark.parametrize("head", ["mean", "last"])
def test_the_score_is_that_of_whole_sequences(values, name, head):
    model = network(values, name, head).train()
    same(scored(model, values, size=5, batch_size=7), evaluate(model, values))
    assert model.training


def test_strides_and_classes(ragged):
    model = network(ragged)
    wanted = evaluate(model, ragged, stride=3)
    same(scored(model, ragged, size=3, stride=3, tau=3.0), wanted)
    assert scored(model, ragged, size=8, stride=3, tau=3.0, batch_size=64) == wanted


def test_an_answer_a_sample(values):
    def each(part):
        random = np.random.default_rng(len(part))
        return dataclasses.replace(part, y=random.normal(size=part.x.shape[:2]).astype(np.float32))

    steps = dataclasses.replace(values, train=each(values.train), test=each(values.test))
    model = network(steps, head="step")
    same(scored(model, steps, size=5, batch_size=7), evaluate(model, steps))


def test_an_answer_that_is_not_finite_is_refused(values):
    model = network(values)
    with torch.no_grad():
        model.head.bias.fill_(float("nan"))
    with pytest.raises(ModelError, match="answers are not finite"):
        scored(model, values, size=5)
