import math
from fractions import Fraction

import pytest
import torch

from timegrain.kernels.phi import phi1, phi2


def exact(z, order):
    """The series of phi1 or of its derivative, in rational numbers."""
    z, total, power = Fraction(z), Fraction(0), Fraction(1)
    for k in range(80):
        factor = (
            Fraction(k + 1, math.factorial(k + 2)) if order else Fraction(1, math.factorial(k + 1))
        )
        total += power * factor
        power *= z
    return float(total)


POINTS = [0.0, 1e-300, 1e-17, -1e-9, 1e-4, -0.3, 0.3499, 0.3501, -0.3501, -1.0, 2.0, -9.0]


@pytest.mark.parametrize("z", POINTS)
def test_real_values_and_derivatives(z):
    leaf = torch.tensor(z, dtype=torch.float64, requires_grad=True)
    value = phi1(leaf)
    value.backward()
    # one expm1 and one division; the derivative cancels up to tenfold just beyond the series
    assert value.item() == pytest.approx(exact(z, 0), rel=4 * 2.3e-16)
    assert leaf.grad.item() == pytest.approx(exact(z, 1), rel=30 * 2.3e-16)


@pytest.mark.parametrize("z", POINTS)
def test_a_complex_argument_on_the_real_line_gives_the_same(z):
    leaf = torch.tensor(complex(z, 0), dtype=torch.complex128, requires_grad=True)
    value = phi1(leaf)
    value.real.backward()
    assert value.item() == pytest.approx(exact(z, 0), rel=8 * 2.3e-16)
    assert leaf.grad.item() == pytest.approx(exact(z, 1), rel=30 * 2.3e-16)


def test_an_imaginary_argument_gives_sine_and_versine():
    t = torch.tensor([1e-12, 1e-3, 0.3, 0.4, 3.0, 40.0], dtype=torch.float64)
    value = phi1(1j * t)
    assert torch.allclose(value.real, torch.sin(t) / t, rtol=0, atol=1e-15)
    assert torch.allclose(value.imag, 2 * torch.sin(t / 2) ** 2 / t, rtol=0, atol=1e-15)


def test_gradients_of_both_orders():
    z = torch.tensor([0.0, 0.2, -0.4, -3.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(phi1, z) and torch.autograd.gradgradcheck(phi1, z)
    c = torch.tensor([0j, 0.1 + 0.2j, -0.5 + 3j], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(phi1, c) and torch.autograd.gradgradcheck(phi1, c)


@pytest.mark.parametrize("z", [*POINTS, 0.9999, 1.0001, -0.9999, -1.0001])
def test_phi2_and_its_derivative(z):
    """phi2 is the series of phi1's derivative over k + 1, and its derivative one factorial on."""
    z_, power, value, slope = Fraction(z), Fraction(1), Fraction(0), Fraction(0)
    for k in range(80):
        value += power / math.factorial(k + 2)
        slope += power * (k + 1) / math.factorial(k + 3)
        power *= z_
    for dtype in (torch.float64, torch.complex128):
        leaf = torch.tensor(z, dtype=dtype, requires_grad=True)
        out = phi2(leaf)
        out.real.backward()
        # beyond |z| = 1 phi1 - 1 loses at most a factor of 3, the derivative 12
        assert out.item() == pytest.approx(float(value), rel=10 * 2.3e-16)
        assert leaf.grad.item() == pytest.approx(float(slope), rel=40 * 2.3e-16)
    narrow = phi2(torch.tensor(z, dtype=torch.float32)).item()
    assert narrow == pytest.approx(float(value), rel=10 * 1.2e-7)


def test_phi2_has_gradients_of_both_orders():
    z = torch.tensor([0.0, 0.2, -0.4, -3.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(phi2, z) and torch.autograd.gradgradcheck(phi2, z)
    c = torch.tensor([0j, 0.1 + 0.2j, -0.5 + 3j], dtype=torch.complex128, requires_grad=True)
    assert torch.autograd.gradcheck(phi2, c) and torch.autograd.gradgradcheck(phi2, c)
