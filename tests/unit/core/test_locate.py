"""Names of a user's objects, and what a user's code may raise."""

import importlib
import sys

import pytest

from timegrain.core import ConfigError, DataError
from timegrain.core.locate import load_attribute
from timegrain.core.users_code import users_code


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    def write(source):
        (tmp_path / "user_module.py").write_bytes(source)
        importlib.invalidate_caches()
        return "user_module:f"

    yield write
    sys.modules.pop("user_module", None)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (b"x = 1\ndef f(:\n", r"SyntaxError: invalid syntax \(user_module.py, line 2\)"),
        (b"\n1 / 0\n", r"ZeroDivisionError: division by zero \(user_module.py, line 2\)"),
        (b"import sys\nsys.exit(5)\n", r"sys.exit\(5\) \(user_module.py, line 2\)"),
        (b"import nowhere_at_all\n", r"No module named 'nowhere_at_all' \(user_module.py, line 1"),
        (b"x = 1\0\n", "SyntaxError|ValueError"),
        (b"\xff\xfe", "SyntaxError"),
        (b"import json\njson.loads('{')\n", r"JSONDecodeError: .* \(user_module.py, line 2\)"),
        (b"def __getattr__(name):\n    raise KeyError(name)\n", r"KeyError: .*, line 2\)"),
    ],
)
def test_whatever_a_module_raises_is_an_error_that_says_where(module, source, words):
    with pytest.raises(DataError, match=words) as caught:
        load_attribute(module(source), raised=DataError)
    assert "user_module" in str(caught.value)
    assert caught.value.__cause__ is not None


def test_an_interrupt_passes(module):
    with pytest.raises(KeyboardInterrupt):
        load_attribute(module(b"raise KeyboardInterrupt\n"))


@pytest.mark.parametrize(
    "name", [":x", "..:x", "./my:net", "my:", "m y:x", "1:2", "a:b:c", "a..b:c"]
)
def test_what_is_no_name_is_an_error(name):
    with pytest.raises(ConfigError, match="names no object"):
        load_attribute(name)


def test_a_path_gets_the_name_that_was_meant():
    with pytest.raises(ConfigError, match=r"Try nets\.my:net, in the directory above nets"):
        load_attribute("nets/my:net")


def test_a_module_or_an_attribute_that_is_not_there_is_an_error(module):
    with pytest.raises(ConfigError, match="cannot import 'nowhere_at_all'"):
        load_attribute("nowhere_at_all:f", raised=DataError)
    with pytest.raises(ConfigError, match=r"no attribute[\s\S]*Try four"):
        load_attribute(module(b"four = 4\n").replace(":f", ":fuor"))


def test_errors_of_ours_and_of_memory_pass():
    for error in (ConfigError("mine"), MemoryError()):
        with pytest.raises(type(error)) as caught, users_code("f", DataError):
            raise error
        assert caught.value is error
