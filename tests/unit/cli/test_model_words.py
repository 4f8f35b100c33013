"""What `timegrain model` refuses, with and without --dry-run: the same."""

import importlib
import sys

import pytest

from timegrain.cli.main import run

SOURCE = """
from torch import nn

def fails(x):
    raise KeyError("k")

def far(x):
    if x.shape[1] > 150:
        raise ValueError("too long")
    return x

gru = nn.GRU(1, 4)
"""
QUICK = ["--seeds", "1", "--levels", "3", "--d-model", "4"]


@pytest.fixture
def mine(tmp_path, monkeypatch):
    (tmp_path / "words_mine.py").write_text(SOURCE)
    (tmp_path / "words_broken.py").write_text("def f(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    importlib.invalidate_caches()
    yield "words_mine"
    sys.modules.pop("words_mine", None)


def _stderr(words, capsys):
    status = run(["model", *words, *QUICK])
    stdout, stderr = capsys.readouterr()
    assert (status, stdout) == (2, "")
    assert "Traceback" not in stderr
    return " ".join(stderr.split())


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
@pytest.mark.parametrize(
    ("name", "mention"),
    [
        (":x", "names no object"),
        ("./words_mine:gru", "Try words_mine:gru."),
        ("words_broken:f", "SyntaxError: invalid syntax (words_broken.py, line 1)"),
        ("words_mine:fails", "words_mine:fails cannot be measured"),
        ("words_mine:fails", "KeyError: 'k' (words_mine.py, line 5)"),
        ("words_mine:gru", "batch_first=True"),
        ("s4d,words_mine:fails", "KeyError"),
    ],
)
def test_a_users_code_that_fails_is_an_error(mine, name, mention, dry, capsys):
    assert mention in _stderr([name, *dry], capsys)


def test_a_failure_on_a_finer_grid_is_an_error_too(mine, capsys):
    text = _stderr(["words_mine:far"], capsys)
    assert "words_mine:far failed, got ValueError: too long (words_mine.py, line 9)" in text


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
@pytest.mark.parametrize(
    ("words", "mention"),
    [
        (["--options", "seed=1"], "Try --seed"),
        (["--options", "d_model=4"], "Try --d-model"),
        (["--options", "n_layers=3"], "Try --scope network"),
        (["--options", "head=mean", "--scope", "network"], "'head' is no option of the layer"),
        (["--options", "d_output=3", "--scope", "network"], "'d_output' is no option"),
        (["--options", "name=s6"], "the name of the model"),
        (["--options", "n_pairs=x"], "n_pairs is a whole number"),
        (["--options", "wings=2"], "s4d has no option 'wings'"),
        (["--length", "15"], "the working grid is too short"),
        (["--amplitudes", "-1"], "amplitudes are factors"),
        (["--seeds", "0"], "seeds is a whole number"),
        (["--dt", "0"], "dt is the working step"),
        (["--signal", "lorentz"], "there is no signal called 'lorentz'"),
        (["--signal", "lorenz"], "--refine resimulate"),
    ],
)
def test_options_are_checked_before_any_work(words, mention, dry, capsys):
    kept = [w for w in QUICK if not {"--seeds", "1"} & {w}] if "--seeds" in words else QUICK
    assert run(["model", "s4d", *words, *kept, *dry]) == 2
    assert mention in " ".join(capsys.readouterr().err.split())


def test_an_option_that_one_of_several_lacks_names_that_one(capsys, monkeypatch):
    monkeypatch.setattr("timegrain.continuity.model.plan.climb", None)  # nothing is measured
    assert "gru has no option 'n_pairs'" in _stderr(["s4d,gru", "--options", "n_pairs=4"], capsys)


def test_a_dry_run_of_what_can_be_measured_says_so(mine, capsys):
    assert run(["model", "s4d", "--dry-run", *QUICK]) == 0
    assert "would measure s4d" in capsys.readouterr().err


def test_a_signal_is_named_by_a_word(capsys):
    assert run(["model", "s4d", "--signal", "c0", *QUICK]) == 0
    assert "Bernoulli polynomials B2" in " ".join(capsys.readouterr().out.split())
