"""What compiled loops do not give is refused or taken from the torch form, by every door."""

import functools
import warnings

import pytest
import torch
from torch.autograd import forward_ad

from timegrain import kernels
from timegrain.core.errors import ConfigError
from timegrain.kernels import cauchy_pairs, explain, lti_conv
from timegrain.kernels.phi import phi1, phi2
from timegrain.models import build_layer

LONG = 300  # samples; beyond 256 a convolution is made of transforms
_random = torch.Generator().manual_seed(0)


def real(*shape):
    return torch.randn(*shape, generator=_random, dtype=torch.float64)


def mixed(*shape):
    return torch.complex(real(*shape), real(*shape))


def modes(*shape):
    return torch.complex(-real(*shape).abs() - 0.1, real(*shape))


def door(name, *rest, **options):
    """The sum of the first result, as a function of the first argument and the backend."""

    def call(x, backend):
        out = getattr(kernels, name)(x, *rest, backend=backend, **options)
        out = out[0] if isinstance(out, tuple) else out
        return out.real.sum() + out.imag.sum() if out.is_complex() else out.sum()

    return call


STEPS = real(1, 6).abs()
CASES = {
    "cauchy_pairs": (door("cauchy_pairs", modes(2, 3), 1j * real(5)), mixed(2, 1, 3)),
    "diagonal_scan": (
        door("diagonal_scan", real(2).abs(), modes(2, 3), mixed(2, 3), steps=STEPS),
        real(1, 6, 2),
    ),
    "dplr_kernel": (
        door("dplr_kernel", modes(2, 4), mixed(2, 4), mixed(2, 4), mixed(2, 4), 6),
        real(2).abs(),
    ),
    "dplr_scan": (
        door("dplr_scan", real(2).abs(), modes(2, 4), mixed(2, 4), mixed(2, 4), mixed(2, 4)),
        real(1, 6, 2),
    ),
    "glu_sum": (door("glu_sum", real(1, 6, 4)), real(1, 6, 2)),
    "held_scan": (door("held_scan", modes(3), STEPS), mixed(1, 6, 3)),
    "linear_scan": (door("linear_scan", mixed(1, 6, 3)), mixed(3) / 3),
    "lti_conv": (door("lti_conv", real(2, 6)), real(1, 6, 2)),
    "lti_conv, long": (door("lti_conv", real(1, LONG)), real(1, LONG, 1)),
    "matrix_scan": (
        door(
            "matrix_scan",
            *real(2, 1, 6, 2, 3),
            log_gate=-real(1, 6, 2, 3).abs(),
            beta=real(1, 6, 2).sigmoid(),
            chunk=4,
        ),
        real(1, 6, 2, 3),
    ),
    "mimo_scan": (
        door("mimo_scan", mixed(3) / 3, mixed(3, 2), mixed(2, 3), real(2)),
        real(1, 6, 2),
    ),
    "s4d_kernel": (door("s4d_kernel", mixed(2, 3), 6), modes(2, 3)),
    "selective_scan": (
        door("selective_scan", real(1, 6, 2).abs(), -real(2, 3).abs(), *real(2, 1, 6, 3)),
        real(1, 6, 2),
    ),
    "short_convolution": (door("short_convolution", real(2, 3), activation="silu"), real(1, 6, 2)),
    "silu_gate": (door("silu_gate", real(1, 6, 2)), real(1, 6, 2)),
    "softplus_steps": (door("softplus_steps"), real(1, 6, 2)),
    "zoh_filter": (
        door("zoh_filter", real(2), real(2, 3), real(2, 3), real(2, 3, 2)),
        real(1, 6, 2),
    ),
    "zoh_kernel": (door("zoh_kernel", real(2, 3), real(2, 3), real(2, 3, 2), 6), real(2)),
}


@pytest.mark.parametrize("name", CASES)
def test_second_derivatives_are_refused_even_where_nothing_upstream_needs_them(name):
    call, x = CASES[name]
    x = x.clone().requires_grad_()
    with pytest.raises(ConfigError, match=r"first derivatives only[\s\S]*backend="):
        torch.autograd.grad(call(x, "numba"), x, create_graph=True)


@pytest.mark.parametrize("name", CASES)
def test_forward_mode_takes_the_torch_form(name):
    call, x = CASES[name]
    x.requires_grad_(False)
    with torch.no_grad(), forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones_like(x))
        found = forward_ad.unpack_dual(call(dual, "auto")).tangent
        want = forward_ad.unpack_dual(call(dual, "torch")).tangent
        assert torch.equal(found, want)
        with pytest.raises(ConfigError, match="forward-mode derivative"):
            call(dual, "numba")


def test_forward_mode_of_functions_with_gradients_of_their_own_is_that_of_finite_differences():
    z = 0.5 * modes(2, 3).requires_grad_()
    for function in (phi1, phi2):
        for at in (z, z.detach().real.clone().requires_grad_()):
            assert torch.autograd.gradcheck(function, at, check_forward_ad=True)
    weights, nodes = mixed(2, 1, 3).requires_grad_(), 1j * real(5)
    sums = functools.partial(cauchy_pairs, nodes=nodes, backend="torch")
    assert torch.autograd.gradcheck(sums, (weights, z), check_forward_ad=True)


@pytest.mark.parametrize("name", ["s4", "s4d", "s5", "s6"])
@pytest.mark.parametrize("tau", [torch.tensor([0.6]), torch.linspace(0.5, 1.5, 5)[None]])
def test_forward_mode_passes_through_layers_to_their_steps(name, tau):
    options = {"s4": {"n_state": 4}, "s4d": {"n_pairs": 2}, "s6": {"n_state": 2}}.get(name, {})
    layer, x, tau = build_layer(name, 2, seed=0, **options).double(), real(1, 5, 2), tau.double()
    _, moved = torch.func.jvp(lambda s: layer(x, s), (tau,), (torch.ones_like(tau),))
    jacobian = torch.autograd.functional.jacobian(lambda s: layer(x, s), tau)
    torch.testing.assert_close(moved, jacobian.flatten(3).sum(-1))


@pytest.mark.parametrize("name", CASES)
def test_memory_is_made_on_the_cpu_whatever_the_default_device(name):
    call, x = CASES[name]
    found = []
    for device in ("cpu", "meta"):
        leaf = x.clone().requires_grad_()
        with torch.device(device):
            out = call(leaf, "numba")
            out.backward()
        found.append((out.detach(), leaf.grad))
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))


def test_a_trace_records_the_torch_form():
    u, K = real(1, 9, 2), real(2, 9)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore", torch.jit.TracerWarning)
        traced = torch.jit.trace(lambda u: lti_conv(u, K), u, check_trace=False)
        assert "trace" in explain()["lti_conv"].rejected["numba"]
        assert torch.allclose(traced(2 * u), lti_conv(2 * u, K), rtol=0, atol=1e-13)
        # the recorded transform holds shorter sequences, and would wrap longer ones
        assert torch.allclose(traced(u[:, :5]), lti_conv(u[:, :5], K), rtol=0, atol=1e-13)
        with pytest.raises(RuntimeError, match="out of bounds"):
            traced(real(1, 12, 2))


@pytest.mark.parametrize("name", ["s4", "s4d", "s5", "s6"])
def test_layers_pass_through_the_transforms_of_torch_func(name):
    options = {"s4": {"n_state": 4}, "s4d": {"n_pairs": 2}, "s6": {"n_state": 2}}.get(name, {})
    layer = build_layer(name, 2, seed=0, **options).double()
    x = real(1, 5, 2)
    wanted = torch.autograd.functional.jacobian(layer, x)
    torch.testing.assert_close(torch.func.jacrev(layer)(x), wanted)
    with kernels.use_backend("torch"):
        torch.testing.assert_close(torch.func.jacrev(layer)(x), wanted)
    rows = torch.func.vmap(lambda row: layer(row[None])[0])(torch.cat([x, 2 * x]))
    torch.testing.assert_close(rows, layer(torch.cat([x, 2 * x])))
