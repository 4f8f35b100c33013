"""The words of the shell are those of `load_dataset`."""

import inspect

import numpy as np
import pytest

from timegrain.cli.file_flags import UNSAID, FileFlags
from timegrain.cli.main import run
from timegrain.core.errors import ConfigError
from timegrain.data import load_dataset


def test_every_word_of_the_loader_can_be_said():
    # options are words of a single source, not of files
    words = set(inspect.signature(load_dataset).parameters) - {"name_or_path", "options"}
    assert set(UNSAID.options()) == words
    assert all(v is None for v in UNSAID.options().values())


def test_words_become_values():
    found = FileFlags(hz=200.0, value="a, b", channels="V1", header="no").options()
    assert (found["dt"], found["unit"]) == (0.005, "s")
    assert (found["value"], found["channels"], found["header"]) == (("a", "b"), ("V1",), False)


@pytest.mark.parametrize("flags", [{"hz": 1.0, "dt": "1s"}, {"value": "a,,b"}, {"hz": 0.0}])
def test_words_that_make_no_sense(flags):
    with pytest.raises(ConfigError):
        FileFlags(**flags).options()


def test_arrays_without_a_use_are_named_on_stderr(tmp_path, capsys):
    y = np.resize([0, 1], 20)
    x = np.random.default_rng(0).normal(size=(20, 16, 1))
    np.savez(tmp_path / "a.npz", x=x, y=y, who=y)
    words = [str(tmp_path / "a.npz"), "--target", "y"]
    assert run(["train", "gru", *words, "--hz", "1", "--dry-run"]) == 0
    assert capsys.readouterr().err.startswith("not used: the array who of 'a.npz'; --group who")
    assert run(["data", *words, "--group", "who", "--json"]) == 0
    assert "not used" not in capsys.readouterr().err
