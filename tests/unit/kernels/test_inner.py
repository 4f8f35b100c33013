"""What only compiled functions call cannot be called from Python, and says so."""

import pytest
from numba import njit

from timegrain.kernels.inner import inner


@inner
def plus_one(x):
    return x + 1


@inner(error_model="numpy")
def halved(x):
    return x / 2


@njit
def both(x):
    return halved(plus_one(x))


def test_it_is_called_from_compiled_functions_only():
    for _ in range(2):  # before it is compiled for such a number, and after
        with pytest.raises(TypeError, match="plus_one is called from compiled functions only"):
            plus_one(3)
        assert both(3) == 2.0
