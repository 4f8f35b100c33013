"""The gated sum against its formula."""

import pytest
import torch

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.kernels import explain
from timegrain.kernels.glu.glu_sum import glu_sum


def outcome(h, z, upstream, backend):
    leaves = [t.detach().clone().requires_grad_() for t in (h, z)]
    out = glu_sum(*leaves, backend=backend)
    out.backward(upstream)
    return [out.detach(), *(t.grad for t in leaves)]


@pytest.mark.parametrize("width", [1, 8, 21])
def test_values_and_gradients_are_those_of_the_formula(width):
    generator = torch.Generator().manual_seed(0)
    h, upstream = (
        torch.randn(2, 5, width, generator=generator, dtype=torch.float64) for _ in range(2)
    )
    z = 3 * torch.randn(2, 5, 2 * width, generator=generator, dtype=torch.float64)
    z[0, 0, -1], z[0, 1, -1] = 60.0, -60.0  # the gate is open, and closed
    found = outcome(h, z, upstream, "numba")
    assert explain()["glu_sum"].backend == "numba"
    for backend in ("torch", "reference"):
        for got, want in zip(found, outcome(h, z, upstream, backend), strict=True):
            # an exponential within 2 ulp, a sum, a quotient and a few products
            assert ((got - want).abs() <= 16 * 2.3e-16 * (want.abs() + z.abs().max())).all()


def test_a_gradient_that_is_one_for_all_rows_is_read_where_it_lies():
    h, z = torch.randn(3, 4, 5, dtype=torch.float64), torch.randn(3, 4, 10, dtype=torch.float64)
    one = torch.randn(3, 1, 5, dtype=torch.float64)
    found = outcome(h, z, one.expand(3, 4, 5), "numba")
    for got, want in zip(found, outcome(h, z, one.repeat(1, 4, 1), "numba"), strict=True):
        assert torch.equal(got, want)


def test_strided_and_half_precision_inputs():
    h = torch.randn(3, 4, 2, dtype=torch.float64).transpose(0, 1)
    z = torch.randn(4, 3, 8, dtype=torch.float64)[..., ::2]
    assert torch.allclose(glu_sum(h, z), glu_sum(h, z, backend="torch"), rtol=0, atol=1e-14)
    half = glu_sum(h.bfloat16(), z.bfloat16())
    assert half.dtype == torch.bfloat16
    assert torch.allclose(half.double(), glu_sum(h, z), atol=0.1)


def test_wrong_arguments_are_errors():
    with pytest.raises(LayoutError, match=r"two numbers of z for each of h.*expected \(1, 2, 6\)"):
        glu_sum(torch.zeros(1, 2, 3), torch.zeros(1, 2, 4))
    with pytest.raises(ConfigError, match="floating-point numbers for z"):
        glu_sum(torch.zeros(1, 2, 3), torch.zeros(1, 2, 6, dtype=torch.long))
