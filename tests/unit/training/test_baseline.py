from dataclasses import replace

import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.core.result import read_result
from timegrain.training.baseline import baseline_score


def test_the_baseline_learns_and_its_record_survives_its_file(ragged):
    score = baseline_score(ragged, 1, n_features=200)
    assert score.score >= 0.9
    assert score.low <= score.score <= score.high
    assert (score.n_train, score.n_test, score.seed) == (32, 16, 1)
    assert read_result(score.to_json()) == score
    assert score.to_arrow().num_rows == 1


def test_values_are_scored_as_networks_are(values):
    score = baseline_score(values, n_features=200)
    assert score.metric == "r2"
    assert 0.5 < score.score <= 1
    shifted = replace(
        values,
        train=replace(values.train, y=100 * values.train.y + 7),
        test=replace(values.test, y=100 * values.test.y + 7),
    )
    # R^2 does not change with the unit; float32 targets leave rounding
    assert baseline_score(shifted, n_features=200).score == pytest.approx(score.score, abs=1e-4)


def test_equal_seeds_give_equal_scores(ragged):
    one, again = (baseline_score(ragged, 0, n_features=20).score for _ in range(2))
    assert one == again


def test_an_empty_part_is_refused(task):
    part = task.test
    empty = replace(part, x=part.x[:0], lengths=part.lengths[:0], y=part.y[:0])
    with pytest.raises(DataError):
        baseline_score(replace(task, test=empty))
    with pytest.raises(DataError):
        baseline_score(replace(task, train=replace(part, x=np.zeros((2, 3), np.float32))))
