from copy import deepcopy

import numpy as np
import pytest
import torch

from timegrain.core.errors import ModelError
from timegrain.data import Dataset, make_task
from timegrain.models.build import build_model
from timegrain.training.objective import Objective
from timegrain.training.score import AnswerError, make_batch, score_batch
from timegrain.training.truncated.long_batch import LongBatch
from timegrain.training.truncated.scoring import score_in_chunks

RANDOM = np.random.default_rng(0)
DATA = Dataset(
    name="d",
    sequences=tuple(RANDOM.normal(size=(n, 1)) for n in (9, 12, 5, 12, 7) * 8),
    labels=RANDOM.normal(size=40),
)
TASK = make_task(DATA)
OBJECTIVE = Objective.of(TASK)


# threads that build networks share one generator
NET = build_model("gru", d_input=1, d_output=1, d_model=3, n_layers=1, seed=0)


def model():
    return deepcopy(NET)


@pytest.mark.parametrize("size", [2, 3, 9])
def test_shares_score_what_one_process_does(in_threads, size):
    whole, long = make_batch(TASK.test, OBJECTIVE), LongBatch.of(TASK.test, OBJECTIVE)
    alone = score_batch(model(), whole, OBJECTIVE, tau=1.0, batch_size=3)
    chunks = score_in_chunks(model(), long, OBJECTIVE, size=4, batch_size=3)

    def score(team):
        seen, net = [], model()
        net.register_forward_hook(lambda module, given, out: seen.append(len(out)))
        found = score_batch(net, whole, OBJECTIVE, tau=1.0, batch_size=3, team=team)
        again = score_in_chunks(net, long, OBJECTIVE, size=4, batch_size=3, team=team)
        return found, again, sum(seen)

    for found, again, _ in (members := in_threads(size, score)):
        assert found == alone
        assert again == chunks
    assert sum(seen for *_, seen in members) == len(TASK.test)


def test_an_answer_that_one_cannot_score_ends_all(in_threads):
    whole = make_batch(TASK.test, OBJECTIVE)

    def score(team):
        net = model()
        if team.rank == 1:
            net.register_forward_hook(lambda module, given, out: out * torch.nan)
        return score_batch(net, whole, OBJECTIVE, tau=1.0, batch_size=3, team=team)

    first, second = in_threads(2, score)
    assert isinstance(second, AnswerError) and "NaN at" in str(second)
    assert isinstance(first, ModelError) and "another process" in str(first)
