"""Tasks with several values a sequence: made, trained, scored, probed and stored."""

import numpy as np
import pytest
import torch

from timegrain import label_retention
from timegrain.core.errors import DataError
from timegrain.data import Dataset, make_task
from timegrain.models import build_model
from timegrain.training import baseline_score, evaluate, train

UNITS = np.array([1.0, 1000.0])


def waves(cases=120, *, labels=None):
    """Sines whose frequency and height are the two values, the second in a small unit."""
    random = np.random.default_rng(0)
    frequency, height = random.uniform(0.2, 0.6, cases), random.uniform(0.5, 2.0, cases)
    phase = random.uniform(0, 6, cases)
    x = height[:, None] * np.sin(frequency[:, None] * np.arange(48) + phase[:, None])
    return Dataset(
        name="waves",
        sequences=tuple(x[:, :, None]),
        labels=np.stack([frequency, height], axis=1) * UNITS if labels is None else labels,
        n_train=2 * cases // 3,
    )


def test_a_task_has_a_column_a_value():
    data = waves()
    task = make_task(data)
    assert task.train.y.shape == (80, 2) and task.test.y.shape == (40, 2)
    assert (task.target_kind, task.d_output, task.metric) == ("value", 2, "r2")
    assert "2 values" in repr(task)
    np.testing.assert_allclose(task.test.y, data.labels[80:], rtol=1e-6)


def test_the_trivial_score_counts_both_values_alike():
    data = waves()
    train_part, test = data.labels[:80], data.labels[80:]
    z = (test - train_part.mean(0)) / train_part.std(0)
    known = 1 - (z**2).sum() / ((z - z.mean(0)) ** 2).sum()
    assert make_task(data).trivial_score == pytest.approx(known, abs=1e-12)


def test_one_column_is_the_same_task_as_a_plain_label():
    data = waves()
    plain, column = (make_task(waves(labels=y)) for y in (data.labels[:, 0], data.labels[:, :1]))
    assert column.trivial_score == pytest.approx(plain.trivial_score, abs=1e-12)
    kept = [
        label_retention(waves(labels=y), strides=[4], replicates=99).profile[1].retention
        for y in (data.labels[:, 0], data.labels[:, :1])
    ]
    assert kept[0] == pytest.approx(kept[1], abs=1e-9)


def test_the_score_is_pooled_over_standardised_values():
    task = make_task(waves())
    model = build_model("gru", d_input=1, d_output=2, d_model=4, n_layers=1, seed=0).eval()
    with torch.no_grad():
        out = model(torch.as_tensor(task.test.x)).double().numpy()
    y = np.asarray(task.train.y, dtype=np.float64)
    z = (task.test.y - y.mean(0)) / y.std(0)
    known = 1 - ((out - z) ** 2).sum() / ((z - z.mean(0)) ** 2).sum()
    # targets are standardised in float32
    assert evaluate(model, task).score == pytest.approx(known, abs=1e-5)


def test_a_network_and_the_baseline_learn_both():
    task = make_task(waves())
    model = build_model("s4d", d_input=1, d_output=2, d_model=16, n_layers=1, seed=0)
    run = train(model, task, stages="2:8,1:8")
    assert run.score > 0.5
    assert baseline_score(task, n_features=200).score > 0.5


def test_retention_pools_both_values():
    kept = label_retention(waves(), strides=[2, 16], replicates=99)
    assert kept.metric == "r2" and any("2 values" in note for note in kept.notes)
    assert kept.profile[1].retention > 0.9 > kept.profile[2].retention


def test_labels_that_are_no_table_of_finite_numbers():
    for labels in (np.zeros((120, 2, 2)), np.zeros((120, 0)), np.full((120, 2), np.nan)):
        with pytest.raises(DataError, match="finite float64"):
            waves(labels=labels)
    with pytest.raises(DataError, match="one value"):
        label_retention(waves(labels=np.stack([np.arange(120.0), np.ones(120)], axis=1)))
