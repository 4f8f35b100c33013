"""Windows of recordings with a target a sample train with the heads there are."""

import numpy as np
import pytest

from timegrain.data import make_task, make_windows
from timegrain.data.dataset import Dataset
from timegrain.models import build_model
from timegrain.training import baseline_score, train


def recording(classes):
    random = np.random.default_rng(0)
    state = np.repeat(random.permutation(np.arange(40) % 2), 30)
    x = state + 0.5 * random.normal(size=1200)
    target = state if classes else x * 3 + 100
    return Dataset(
        name="r",
        sequences=(x[:, None],),
        targets=(target,),
        class_names=("off", "on") if classes else (),
        dt=0.1,
        unit="s",
    )


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("head", ["mean", "last"])
def test_windows_train(classes, head):
    task = make_task(make_windows(recording(classes), window=16, hop=4))
    assert task.metric == ("accuracy" if classes else "r2")
    model = build_model(
        "gru", d_input=1, d_output=task.d_output, d_model=8, n_layers=1, head=head, seed=0
    )
    run = train(model, task, stages=((2, 1), (1, 6)))
    # the state lasts longer than a window; the last sample tells it
    assert run.score > task.trivial_score + 0.15
    assert any("the last fifth of the recording tests" in note for note in run.notes)


def test_a_baseline_of_windows():
    task = make_task(make_windows(recording(True), window=16, hop=4))
    assert baseline_score(task, n_features=200).score > 0.7
