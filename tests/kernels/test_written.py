"""No kernel hands on memory as it found it: what is not written shows as NaN, or as another number.

Shapes leave lanes, blocks and chunks over.
"""

import pytest
import torch

from timegrain import kernels


def real(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(*shape, generator=generator, dtype=torch.float64) - 0.5


def mixed(*shape, seed=0):
    return torch.complex(real(*shape, seed=seed), real(*shape, seed=seed + 100))


def poles(*shape):
    return torch.complex(-0.1 - real(*shape).abs(), 6 * real(*shape, seed=1))


def steps(b, length):
    return real(b, length, seed=9).abs() + 0.1


MODES = (real(11, seed=1) - 3, real(11, 5, seed=2), 9 * real(11, 5, seed=3), real(11, 5, 2, seed=4))
DOORS = {
    "lti_conv, short": (kernels.lti_conv, (real(3, 70, 11), real(11, 70, seed=1)), {}),
    "lti_conv, long": (kernels.lti_conv, (real(3, 300, 11), real(11, 300, seed=1)), {}),
    "zoh_filter": (kernels.zoh_filter, (real(3, 70, 11), *MODES), {"skip": real(11)}),
    "zoh_kernel": (kernels.zoh_kernel, (*MODES, 300), {"skip": real(11)}),
    "s4d_kernel": (kernels.s4d_kernel, (0.1 * poles(11, 5), mixed(11, 5), 300), {}),
    "diagonal_scan": (
        kernels.diagonal_scan,
        (real(2, 70, 11), real(11).abs(), poles(11, 5), mixed(11, 5)),
        {"steps": steps(2, 70), "initial_state": mixed(2, 11, 5), "return_state": True},
    ),
    "held_scan": (
        kernels.held_scan,
        (mixed(2, 70, 11), 0.1 * poles(11), steps(2, 70)),
        {"initial_state": mixed(2, 11)},
    ),
    "linear_scan": (
        kernels.linear_scan,
        (poles(11).exp(), mixed(2, 70, 11)),
        {"initial_state": mixed(2, 11)},
    ),
    "linear_scan, a decay a step": (
        kernels.linear_scan,
        (poles(2, 70, 11).exp(), mixed(2, 70, 11)),
        {"initial_state": mixed(2, 11)},
    ),
    "matrix_scan": (
        kernels.matrix_scan,
        (real(2, 70, 1, 5), real(2, 70, 1, 5, seed=1), real(2, 70, 2, 11, seed=2)),
        {
            "log_gate": -steps(2, 70)[..., None, None].expand(2, 70, 2, 5),
            "beta": steps(2, 70)[..., None].expand(2, 70, 2),
            "initial_state": real(2, 2, 5, 11),
            "return_state": True,
        },
    ),
    "mimo_scan": (
        kernels.mimo_scan,
        (real(2, 70, 3), poles(11).exp(), mixed(11, 3), mixed(3, 11), real(3)),
        {"initial_state": mixed(2, 11), "return_state": True},
    ),
    "cauchy_pairs": (
        kernels.cauchy_pairs,
        (mixed(3, 4, 5), poles(3, 5), 0.1 + 40j * real(700)),
        {},
    ),
    "dplr_scan": (
        kernels.dplr_scan,
        (real(2, 70, 3), real(3).abs(), poles(3, 5), *(mixed(3, 5, seed=s) for s in (1, 2, 3))),
        {"steps": steps(2, 70), "initial_state": mixed(2, 3, 5)},
    ),
    "dplr_kernel": (
        kernels.dplr_kernel,
        (real(3).abs(), poles(3, 5), *(mixed(3, 5, seed=s) for s in (1, 2, 3)), 300),
        {},
    ),
    "glu_sum": (kernels.glu_sum, (real(2, 70, 11), real(2, 70, 22)), {}),
}


def outcome(function, arguments, options):
    """What comes back, and the gradients to every tensor but the nodes of a sum."""

    def leaf(value):
        return value.clone().requires_grad_() if isinstance(value, torch.Tensor) else value

    given = [leaf(value) for value in arguments]
    if function is kernels.cauchy_pairs:
        given[2] = given[2].detach()
    named = {name: leaf(value) for name, value in options.items()}
    out = function(*given, backend="numba", **named)
    outs = out if isinstance(out, tuple) else (out,)
    torch.autograd.backward(outs, [t.detach().cos() for t in outs])
    leaves = (t for t in (*given, *named.values()) if isinstance(t, torch.Tensor))
    return [*outs, *(t.grad for t in leaves if t.requires_grad)]


@pytest.mark.parametrize("door", DOORS)
def test_every_number_is_written(door, request):
    wanted = outcome(*DOORS[door])  # compiled before memory is anything but numpy's
    poisoned = request.getfixturevalue("poisoned")
    found = outcome(*DOORS[door])
    assert poisoned
    for got, want in zip(found, wanted, strict=True):
        assert torch.equal(got, want) and torch.isfinite(torch.view_as_real(got + 0j)).all()


SAVING = DOORS | {
    "selective_scan": (
        kernels.selective_scan,
        (real(2, 9, 3), steps(9, 3).expand(2, 9, 3), real(3, 4) - 1, real(2, 9, 4), real(2, 9, 4)),
        {"D": real(3), "initial_state": real(2, 3, 4)},
    ),
    "short_convolution": (
        kernels.short_convolution,
        (real(2, 9, 3), real(3, 4)),
        {"bias": real(3)},
    ),
    "silu_gate": (kernels.silu_gate, (real(2, 9, 3), real(2, 9, 3, seed=1)), {}),
    "softplus_steps": (kernels.softplus_steps, (real(2, 9, 3),), {}),
}


@pytest.mark.parametrize("door", SAVING)
def test_what_was_saved_may_come_back_in_another_layout(door):
    """As of a hook that compresses: the same values, the last two axes the other way in memory."""
    wanted = outcome(*SAVING[door])

    def pack(t):
        return t.ndim, t.mT.contiguous() if t.ndim > 1 else torch.stack([t, t], -1)

    def unpack(packed):
        ndim, t = packed
        return t.mT if ndim > 1 else t[..., 0]

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        found = outcome(*SAVING[door])
    for got, want in zip(found, wanted, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-12, atol=1e-12)  # torch sums in another order
