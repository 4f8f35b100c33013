"""S5 against the S5 of the package s5-pytorch, with the same parameters."""

import pytest
import torch

from timegrain.models import build_layer

package = pytest.importorskip(
    "s5.s5_model", reason="s5-pytorch is a benchmark dependency: pip install --no-deps s5-pytorch"
)


@pytest.fixture
def pair(monkeypatch, request):
    """Our layer and theirs in float64; they read `Re(C x)` where we read `2 Re(C x)`."""
    rule = request.param
    ours = build_layer(
        "s5", d_model=5, n_state=24, n_blocks=3, seed=0, discretization=rule
    ).double()
    unit = torch.eye(12, dtype=torch.complex64)
    theirs = package.S5SSM(
        ours.modes.detach(), unit, unit, 5, 12, 0.001, 0.1, discretization=rule, bcInit="dense"
    ).double()
    monkeypatch.setattr(package, "as_complex", torch.view_as_complex)  # theirs rounds to complex64
    with torch.no_grad():
        theirs.Lambda = torch.nn.Parameter(ours.modes.clone())
        theirs.B = torch.nn.Parameter(ours.B.clone())
        theirs.C = torch.nn.Parameter(2 * torch.view_as_complex(ours.C))
        theirs.D.copy_(ours.D)
        theirs.log_step.copy_(ours.log_dt)
    return ours, theirs


@pytest.mark.parametrize("pair", ["zoh", "bilinear"], indirect=True)
def test_equals_the_package(pair):
    ours, theirs = pair
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 150, 5, generator=generator, dtype=torch.float64)
    varying = torch.rand(2, 150, generator=generator, dtype=torch.float64) + 0.3
    # 150 steps of a few roundings each; their weight (exp(z) - 1) / lambda loses up to three
    # digits more to cancellation, since Delta |lambda| is as small as 5e-4
    for tau in (1.0, 0.3, varying):
        steps = tau if isinstance(tau, torch.Tensor) else [tau, tau]
        wanted = torch.stack([theirs(row, step_scale=s) for row, s in zip(x, steps, strict=True)])
        got = ours(x, tau)
        assert (got - wanted).abs().max() < 1e-11 * wanted.abs().max()


@pytest.mark.parametrize("pair", ["zoh"], indirect=True)
def test_has_the_gradients_of_the_package(pair):
    ours, theirs = pair
    x = torch.randn(60, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    ours(x[None]).square().sum().backward()
    theirs(x).square().sum().backward()
    poles = ours.modes.detach().real * theirs.Lambda.grad.real  # through the logarithm of the decay
    # theirs alone lose the digits of the derivative of (exp(z) - 1) / lambda: 1e-16 / |z|^2
    for got, wanted in (
        (ours.B.grad, theirs.B.grad),
        (ours.C.grad, 2 * torch.view_as_real(theirs.C.grad)),
        (ours.D.grad, theirs.D.grad),
        (ours.log_dt.grad, theirs.log_step.grad),
        (ours.frequency.grad, theirs.Lambda.grad.imag),
        (ours.log_decay.grad, poles),
    ):
        assert (got - wanted).abs().max() < 1e-8 * wanted.abs().max()
