import pytest
import torch

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.kernels.arguments import cast, check_axes, compute_dtype


def test_sizes_are_bound_by_the_first_argument_that_has_the_axis():
    sizes = check_axes("f", {"u": (torch.zeros(2, 9, 3), "b l d"), "A": (torch.zeros(3, 4), "d n")})
    assert sizes == {"b": 2, "l": 9, "d": 3, "n": 4}


def test_absent_arguments_are_passed_over():
    arguments = {"D": (None, "d"), "K": (torch.zeros(3, 5), "d k")}
    assert check_axes("f", arguments, optional=("D",)) == {"d": 3, "k": 5}
    with pytest.raises(ConfigError, match="needs a torch tensor for D, got NoneType"):
        check_axes("f", arguments)


def test_no_transposition_is_suggested_where_it_would_not_help():
    u, delta = torch.zeros(2, 9, 3), torch.zeros(2, 9, 4)
    with pytest.raises(LayoutError) as error:
        check_axes("f", {"u": (u, "b l d"), "delta": (delta, "b l d")})
    assert error.value.hint is None


def test_the_widest_dtype_wins_and_half_becomes_float32():
    def of(*dtypes):
        return compute_dtype("f", {str(i): torch.zeros(1, dtype=d) for i, d in enumerate(dtypes)})

    assert of(torch.float16, torch.bfloat16) == torch.float32
    assert of(torch.float16, torch.float64) == torch.float64
    with pytest.raises(ConfigError, match="for 0, got torch"):
        of(torch.int32)


def test_cast_keeps_gaps_and_gradients():
    leaf = torch.ones(2, dtype=torch.float16, requires_grad=True)
    wide, gap = cast([leaf, None], torch.float32)
    wide.sum().backward()
    assert gap is None and wide.dtype == torch.float32 and leaf.grad.dtype == torch.float16
