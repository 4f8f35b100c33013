"""Each example runs as it stands, on little, and learns."""

import runpy
from pathlib import Path

import pytest
import torch

FOLDER = Path(__file__).parents[2] / "examples"


def example(name, *arguments):
    """Return what `main` of an example returns."""
    words = [str(a) for a in arguments]
    return runpy.run_path(str(FOLDER / f"{name}.py"))["main"](words)


def test_they_are_short():
    files = sorted(FOLDER.glob("*.py"))
    assert len(files) == 6
    assert all(len(file.read_text("utf-8").splitlines()) < 100 for file in files)


@pytest.mark.parametrize("workers", [0, 2])
def test_plain_torch(workers, capsys):
    score = example("plain_torch", "--recordings", 64, "--epochs", 8, "--workers", workers)
    # chance is .5; a score of 100 recordings by chance is below .65 in 999 of 1,000 cases
    assert score > 0.65
    assert f"accuracy {score:.2f}" in capsys.readouterr().out


def test_plain_torch_resumes(tmp_path, monkeypatch):
    steps = []
    original = torch.nn.functional.cross_entropy
    monkeypatch.setattr(
        torch.nn.functional, "cross_entropy", lambda *a: steps.append(a) or original(*a)
    )
    file = tmp_path / "state.pt"
    options = ("--recordings", 20, "--epochs", 4, "--workers", 0, "--resume", file)
    score = example("plain_torch", *options)
    assert len(steps) == 8
    # the file is of the beginning of the last epoch, which is done again
    assert example("plain_torch", *options) == score
    assert len(steps) == 10
    for (first, y), (again, y_again) in zip(steps[6:8], steps[8:], strict=True):
        assert torch.equal(first, again) and torch.equal(y, y_again)


def test_huggingface_trainer(capsys):
    pytest.importorskip("transformers", reason="the extra hf is not installed")
    score = example("huggingface_trainer", "--recordings", 64, "--epochs", 8, "--workers", 0)
    # a threshold on single samples is right on .76 of them: Phi(.5 / .7)
    assert score > 0.76
    assert f"accuracy {score:.2f}" in capsys.readouterr().out


def test_lightning_module(capsys):
    pytest.importorskip("pytorch_lightning", reason="the extra lightning is not installed")
    score = example("lightning_module", "--recordings", 32, "--epochs", 6, "--workers", 0)
    assert score < 0.5  # guessing has 1
    assert f"error {score:.2f}" in capsys.readouterr().out
