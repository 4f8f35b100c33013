import numpy as np
import pytest
import torch

from timegrain.data.tasks import load_task
from timegrain.study.job import TrainingJob, run_training
from timegrain.training.checkpoint_files import load_checkpoint
from timegrain.training.stages import parse_stages


@pytest.fixture(scope="module")
def power():
    return load_task("ItalyPowerDemand")


def test_a_job_trains_transfers_and_stores_a_network_for_raw_data(power, tmp_path):
    job = TrainingJob(model="gru", stages=parse_stages("2:1,1:2"), d_model=8, n_layers=1, seed=1)
    events = []
    run, curve = run_training(job, power, progress=events.append, checkpoints=tmp_path)
    assert (run.plan, run.seed, curve.plan, curve.seed) == ("2:1,1:2", 1, "2:1,1:2", 1)
    assert curve.score(1, told=False).score == run.score
    assert [e.detail.split(":")[0] for e in events] == [
        "",
        "epoch 1 of 3 at stride 2",
        "epoch 2 of 3",
        "epoch 3 of 3",
    ]
    (directory,) = tmp_path.iterdir()
    stored = load_checkpoint(directory)
    assert stored.record.metrics["accuracy"] == run.score
    assert stored.record.class_names == power.dataset.class_names
    inputs = stored.record.inputs
    raw = np.stack([power.dataset.sequences[i] for i in power.test.index])
    x = torch.from_numpy(((raw - inputs.center) / inputs.scale).astype(np.float32))
    with torch.no_grad():
        right = (stored.model(x).argmax(-1).numpy() == power.test.y).mean()
    assert right == pytest.approx(run.score, abs=1.5 / len(raw))  # a tie may fall the other way


def test_without_strides_there_is_no_curve(power):
    job = TrainingJob(model="gru", stages=parse_stages("1:1"), d_model=4, n_layers=1, strides=())
    assert [r.kind for r in run_training(job, power)] == ["training-run"]
