from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError, DataError, GridError
from timegrain.training.score import evaluate, score_of


class Constant(nn.Module):
    """Answers the same whatever it is given."""

    takes_tau = False

    def __init__(self, answer):
        super().__init__()
        self.answer = torch.tensor(answer)

    def forward(self, x, tau=1.0, *, lengths=None):
        return self.answer.expand(len(x), -1)


def test_a_constant_answer_scores_as_the_trivial_one(task, values):
    wrong_and_right = [evaluate(Constant([a, 0.0]), task).score for a in (-1.0, 1.0)]
    assert sorted(wrong_and_right) == [0.5, 0.5]
    # standardised targets: 0 is the training mean; float32 targets leave rounding
    score = evaluate(Constant([0.0]), values)
    assert score.score == pytest.approx(values.trivial_score, abs=1e-5)
    assert evaluate(Constant([0.0]), values, part="train").score == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("stride", [1, 2, 5])
def test_the_score_does_not_depend_on_the_size_of_batches(stride, ragged):
    torch.manual_seed(0)

    class Mean(nn.Module):
        takes_tau = True

        def forward(self, x, tau=1.0, *, lengths=None):
            mean = x[..., 0].sum(1) / lengths
            return torch.stack([-mean, mean], 1) * tau

    scores = [evaluate(Mean(), ragged, stride=stride, batch_size=n) for n in (1, 7, 64)]
    assert scores[0] == scores[1] == scores[2]


def test_the_mode_of_the_network_is_left_as_it_was(task):
    net = Constant([0.0, 1.0])
    for mode in (True, False):
        net.train(mode)
        evaluate(net, task)
        assert net.training is mode


def test_the_interval_of_an_accuracy_is_wilsons():
    # 81 of 263 (Newcombe, Statistics in Medicine 17, 1998, table I, method 3): .2553 to .3662
    lost = np.ones(263)
    lost[:81] = 0
    score = score_of(lost, np.ones(263), one_answer=True)
    assert (round(score.low, 4), round(score.high, 4)) == (0.2553, 0.3662)
    none = score_of(np.ones(29), np.ones(29), one_answer=True)  # 0 of 29: 0 to .1170
    assert (none.low, round(none.high, 4)) == (0.0, 0.1170)
    assert none.correct == "0" * 29


def test_the_interval_of_values_covers_the_score_and_shrinks():
    random = np.random.default_rng(0)
    widths = []
    for n in (40, 4000):
        lost, possible = random.exponential(0.2, n), random.exponential(1.0, n)
        score = score_of(lost, possible, one_answer=False)
        assert score.low < score.score < score.high
        assert score.correct is None
        widths.append(score.high - score.low)
    # a hundred times the cases: ten times narrower, within the noise of a bootstrap
    assert 6 < widths[0] / widths[1] < 16


def test_what_cannot_be_scored_is_refused(task, values):
    with pytest.raises(ConfigError):
        evaluate(Constant([0.0, 1.0]), task, part="both")
    for words in ({"batch_size": 0}, {"batch_size": 2.5}, {"tau": -1}, {"tau": "a"}):
        with pytest.raises(ConfigError, match=next(iter(words))):
            evaluate(Constant([0.0, 1.0]), task, **words)
    for stride in (0, 2.5, "2", None, True):
        with pytest.raises(GridError, match="stride="):
            evaluate(Constant([0.0, 1.0]), task, stride=stride)
    flat = replace(values, test=replace(values.test, y=np.ones_like(values.test.y)))
    with pytest.raises(DataError, match="do not vary"):
        evaluate(Constant([0.0]), flat)
    part = task.test
    empty = replace(part, x=part.x[:0], lengths=part.lengths[:0], y=part.y[:0])
    with pytest.raises(DataError, match="empty"):
        evaluate(Constant([0.0, 1.0]), replace(task, test=empty))
