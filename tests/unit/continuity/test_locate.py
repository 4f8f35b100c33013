"""Words of the command line that name a model."""

import importlib
import random
import sys

import numpy as np
import pytest
import torch

from timegrain.continuity import locate_model, model_continuity
from timegrain.core import ModelError, UnknownNameError

SOURCE = """
from torch import nn

class Net(nn.Linear):
    def __init__(self, width=2):
        super().__init__(width, width)

net = Net()

def make():
    made.append(1)
    return Net(3)

made = []

def half(x):
    return x / 2

def sized(width=4):
    return Net(width)

def broken():
    raise RuntimeError("no weights")

def lazy():
    return Net

def number():
    return 3
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    (tmp_path / "located_models.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield "located_models"
    sys.modules.pop("located_models", None)


def test_a_registered_name_is_itself():
    found = locate_model("s4d")
    assert (found.word, found.model, found.note) == ("s4d", "s4d", "")


@pytest.mark.parametrize("name", ["net", "half", "sized"])
def test_an_object_is_taken_as_it_is(mine, name):
    found = locate_model(f"{mine}:{name}")
    assert found.model is getattr(sys.modules[mine], name)
    assert found.note == ""


def test_a_function_without_arguments_is_called_once_and_said_so(mine):
    found = locate_model(f"{mine}:make")
    assert type(found.model).__name__ == "Net"
    assert sys.modules[mine].made == [1]
    assert "it was called once, and what it returned (Net)" in found.note


def test_a_seed_is_that_of_the_weights_and_of_nothing_after(mine):
    before = torch.get_rng_state(), random.getstate()
    first = locate_model(f"{mine}:make", seed=3).model.weight
    again = locate_model(f"{mine}:make", seed=3).model.weight
    other = locate_model(f"{mine}:make", seed=4).model.weight
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    imported = locate_model(f"{mine}:net", seed=3).model.weight
    sys.modules.pop(mine)
    assert torch.equal(locate_model(f"{mine}:net", seed=3).model.weight, imported)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert random.getstate() == before[1]


def test_a_result_bears_the_word_and_the_note(mine):
    found = locate_model(f"{mine}:make")
    result = found.label(model_continuity(found.model, seeds=1, levels=3, length=16))
    assert result.name == f"{mine}:make"
    assert result.notes[0] == found.note
    plain = locate_model(f"{mine}:half")
    assert plain.label(result).notes == result.notes


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Net", "the class Net"),
        ("lazy", "the class Net"),
        ("number", "int"),
        ("broken", "no weights"),
    ],
)
def test_what_gives_no_model_is_an_error(mine, name, words):
    with pytest.raises(ModelError, match=words):
        locate_model(f"{mine}:{name}")


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("my.py", "Try my:attribute."),
        ("./my.py", "Try my:attribute."),
        ("nets/my.py", "Try nets.my:attribute."),
        ("my.py:net", "Try my:net."),
        ("/somewhere/my.py", "Try my:attribute, in the directory of the file."),
        ("../my.py", "Try my:attribute, in the directory of the file."),
    ],
)
def test_a_file_gets_the_form_that_works(path, hint):
    with pytest.raises(ModelError, match="names a file") as caught:
        locate_model(path)
    assert str(caught.value).endswith(hint)


@pytest.mark.parametrize(
    ("word", "error", "text"),
    [
        ("s44d", UnknownNameError, "Try s4d"),
        ("nothing", UnknownNameError, "module:attribute.*Try my_code:net"),
        ("./nothing", ModelError, "there is no folder ./nothing"),
        ("empty", ModelError, "a folder without a model.*config.json"),
        ("x" * 5000, UnknownNameError, "there is no model called"),
    ],
)
def test_another_word_is_told_what_could_be_meant(tmp_path, monkeypatch, word, error, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(error, match="(?s)" + text):
        locate_model(word)


def test_a_compiled_function_is_no_factory():
    assert locate_model("numpy:tanh").model is np.tanh
