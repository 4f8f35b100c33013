"""The words of the shell are those of `load_dataset`."""

import inspect

import pytest

from timegrain.cli.file_flags import UNSAID, FileFlags
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
