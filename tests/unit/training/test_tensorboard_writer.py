import sys
from types import ModuleType

import pytest

from timegrain.core.errors import MissingPackageError
from timegrain.training import tensorboard_log, train
from timegrain.training.tensorboard_writer import TensorBoardLog


class Writer:
    def __init__(self, log_dir=None):
        self.log_dir, self.rows, self.flushed, self.closed = log_dir, [], 0, False

    def add_scalar(self, name, value, step):
        self.rows.append((name, value, step))

    def flush(self):
        self.flushed += 1

    def close(self):
        self.closed = True


def test_numbers_are_written_by_name_and_step_and_flushed_after_an_epoch():
    writer = Writer()
    with TensorBoardLog(writer) as log:
        log({"train/loss": 0.5, "train/lr": 0.01}, 1)
        assert not writer.flushed
        log({"test/score": 0.75}, 1)
    assert writer.rows == [
        ("train/loss", 0.5, 1),
        ("train/lr", 0.01, 1),
        ("test/score", 0.75, 1),
    ]
    assert (writer.flushed, writer.closed) == (1, True)


def test_the_writer_of_torch_is_given_the_directory(monkeypatch, tmp_path):
    module = ModuleType("torch.utils.tensorboard")
    module.SummaryWriter = Writer
    monkeypatch.setitem(sys.modules, "tensorboard", ModuleType("tensorboard"))
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    assert tensorboard_log(tmp_path)._writer.log_dir == str(tmp_path)


def test_without_the_package_the_pip_line_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "tensorboard", None)  # importing it fails
    with pytest.raises(MissingPackageError, match=r"pip install 'timegrain\[tensorboard\]'"):
        tensorboard_log(tmp_path)


def test_tensorboard_reads_what_was_written(task, tmp_path):
    pytest.importorskip("tensorboard", reason="tensorboard is not installed")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from timegrain.models.build import build_model

    net = build_model("gru", d_input=1, d_output=2, d_model=4, n_layers=1, seed=0)
    with tensorboard_log(tmp_path) as log:
        run = train(net, task, stages="1:2", log=log)
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    scores = events.Scalars("test/score")
    assert [e.value for e in scores] == pytest.approx([row.score for row in run.history])
    assert [e.step for e in scores] == [2, 4]
    assert len(events.Scalars("train/loss")) == 4
