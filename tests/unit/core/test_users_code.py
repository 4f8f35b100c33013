import pytest

from timegrain.core import ModelError
from timegrain.core.users_code import users_code


def test_of_an_error_in_torchscript_the_cause_is_said():
    said = (
        "The following operation failed in the TorchScript interpreter.\n"
        "Traceback of TorchScript, serialized code (most recent call last):\n"
        '  File "code/net.py", line 3, in forward\n'
        "RuntimeError: it does not fit\n"
    )
    with (
        pytest.raises(ModelError, match="net failed, got RuntimeError: it does not fit "),
        users_code("net", ModelError),
    ):
        raise RuntimeError(said)


def test_of_any_other_error_the_first_line_is_said():
    with (
        pytest.raises(ModelError, match="got ValueError: too long "),
        users_code("net", ModelError),
    ):
        raise ValueError("\ntoo long\nby three")
