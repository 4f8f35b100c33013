import itertools
import math

import numpy as np
import pytest
import scipy.linalg
import torch

from timegrain.core.errors import ConfigError
from timegrain.kernels.precision import full_precision
from timegrain.models import S5, build_layer
from timegrain.models.discretize import DISCRETIZATIONS
from timegrain.models.hippo import legs_modes

RULES = tuple(DISCRETIZATIONS)
OPENING = [name for name, rule in DISCRETIZATIONS.items() if rule.opens]


def signal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def hippo_n(size):
    """HiPPO-LegS as its paper writes it, with the rank one that makes it normal."""
    n = np.arange(size)
    root = np.sqrt(2 * n + 1.0)
    A = -np.tril(np.outer(root, root), -1) - np.diag(n + 1.0)
    P = np.sqrt(n + 0.5)
    return A + np.outer(P, P)


def dense(layer, n_blocks, delta):
    """The real system of `n_state` states that the layer's modes stand for, one Delta for all.

    Its state is `2 Re(V x)`, V the blocks of eigenvectors; so is its B, and C reads it back.
    """
    block = layer.n_state // n_blocks
    A = scipy.linalg.block_diag(*[hippo_n(block)] * n_blocks) * delta
    V = scipy.linalg.block_diag(*[legs_modes(block // 2)[1]] * n_blocks)
    with torch.no_grad():
        layer.log_dt.fill_(math.log(delta))
        B = 2 * np.real(V @ torch.view_as_complex(layer.B).numpy()) * delta
        C = 2 * np.real(torch.view_as_complex(layer.C).numpy() @ V.conj().T)
    return A, B, C


@pytest.mark.parametrize("n_blocks", [1, 3])
@pytest.mark.parametrize("tau", [1.0, 0.3])
def test_equals_the_dense_system_through_the_matrix_exponential(n_blocks, tau):
    """Held inputs: `exp [[A, B], [0, 0]]` holds both matrices of a step."""
    layer = build_layer("s5", d_model=3, n_state=12, n_blocks=n_blocks, seed=0).double()
    with torch.no_grad():  # as in float64 from the start
        layer.frequency.copy_(torch.from_numpy(np.tile(legs_modes(6 // n_blocks)[0], n_blocks)))
        layer.log_decay.fill_(math.log(0.5))
    A, B, C = dense(layer, n_blocks, 0.05)
    both = scipy.linalg.expm(tau * np.block([[A, B], [np.zeros((3, 15))]]))
    x, state, wanted = signal(1, 200, 3), np.zeros(12), []
    for u in x[0].numpy():
        state = both[:12, :12] @ state + both[:12, 12:] @ u
        wanted.append(C @ state + layer.D.detach().numpy() * u)
    got = layer(x, tau)[0].detach().numpy()
    assert np.abs(got - np.array(wanted)).max() < 1e-8 * np.abs(wanted).max()


@pytest.mark.parametrize("rule", RULES)
def test_scan_chunks_and_steps_agree_by_every_rule(rule):
    """Ragged, with a step per sample; a sequence may end, or not have begun, at a chunk's edge."""
    layer = build_layer("s5", d_model=3, n_state=8, n_blocks=2, seed=0, discretization=rule)
    layer = layer.double()
    x, tau, lengths = signal(3, 40, 3), signal(3, 40, seed=1).exp(), torch.tensor([40, 13, 0])
    y, after = layer.scan(x, tau=tau, lengths=lengths)
    first, state = layer.scan(x[:, :13], tau=tau[:, :13], lengths=lengths.clamp(max=13))
    rest, state = layer.scan(x[:, 13:], state, tau=tau[:, 13:], lengths=(lengths - 13).clamp(min=0))
    torch.testing.assert_close(torch.cat([first, rest], 1)[0], y[0], rtol=0, atol=1e-12)
    torch.testing.assert_close(first[1], y[1, :13], rtol=0, atol=1e-12)
    torch.testing.assert_close(state, after, rtol=0, atol=1e-12)
    begun, none = layer(x[:1], tau[:1]), None
    for k in range(40):
        step, none = layer.step(x[:1, k], none, tau=tau[:1, k])
        torch.testing.assert_close(step, begun[:, k], rtol=0, atol=1e-12)


@pytest.mark.parametrize("rule", OPENING)
def test_a_sequence_that_begins_in_a_later_chunk_begins_as_any_other(rule):
    layer = build_layer("s5", d_model=3, n_state=8, n_blocks=2, seed=0, discretization=rule)
    layer = layer.double()
    x, none = signal(1, 10, 3), torch.tensor([0])
    _, state = layer.scan(signal(1, 4, 3, seed=1), lengths=none)
    assert torch.equal(layer.scan(x, state)[0], layer(x))


@pytest.mark.parametrize("rule", RULES)
def test_outputs_converge_at_the_order_of_the_rule(rule):
    layer = build_layer("s5", d_model=1, n_state=8, n_blocks=1, seed=0, discretization=rule)
    layer = layer.double()
    with torch.no_grad():
        layer.D.zero_()
        outputs = []
        for level in range(3, 7):
            t = torch.arange(31 * 2**level + 1, dtype=torch.float64) / 2**level
            outputs.append(layer(torch.cos(0.2 * t)[None, :, None], 2.0**-level)[0, :: 2**level])
    gaps = [float((a - b).abs().max()) for a, b in itertools.pairwise(outputs)]
    assert math.log2(gaps[-2] / gaps[-1]) == pytest.approx(layer.order, abs=0.05)


@pytest.mark.parametrize("rule", RULES)
def test_gradients_of_steps_that_vary_by_every_rule(rule):
    layer = build_layer("s5", d_model=2, n_state=4, n_blocks=1, seed=0, discretization=rule)
    names = [name for name, _ in layer.double().named_parameters()]
    tau = signal(1, 4, seed=1).exp()

    def outputs(x, tau, *parameters):
        return torch.func.functional_call(
            layer, dict(zip(names, parameters, strict=True)), (x, tau)
        )

    leaves = (signal(1, 4, 2), tau, *(p.detach() for p in layer.parameters()))
    assert torch.autograd.gradcheck(outputs, [leaf.requires_grad_() for leaf in leaves])


def test_starts_as_the_authors_say():
    layer = build_layer("s5", d_model=50, n_state=256, n_blocks=8, seed=0)
    modes = layer.modes.detach()
    torch.testing.assert_close(modes.real, torch.full((128,), -0.5))
    eigenvalues = np.sort(np.linalg.eigvals(hippo_n(32)).imag)[16:]
    np.testing.assert_allclose(modes.imag.view(8, 16).numpy(), np.tile(eigenvalues, (8, 1)), 1e-5)
    dt = layer.log_dt.exp().detach()
    assert dt.min() >= 0.001 and dt.max() <= 0.1
    # V has orthonormal columns, which keep the variance 1 / 256 of B' (spread over both parts) and
    # of each part of C'. 6,400 modes and channels: a deviation of the mean square is a fiftieth.
    assert layer.B.square().sum(-1).mean().item() == pytest.approx(1 / 256, rel=0.1)
    assert layer.C.square().mean().item() == pytest.approx(1 / 256, rel=0.1)
    assert layer.D.std().item() == pytest.approx(1, abs=0.4)


def test_half_precision_around_it_changes_no_product_inside():
    layer = build_layer("s5", d_model=4, n_state=8, n_blocks=1, seed=0, skip=False)
    x = signal(1, 300, 4).float()
    with torch.autocast("cpu", dtype=torch.bfloat16), full_precision(x):
        exact = layer(x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(layer(x), exact)
        assert layer(x.bfloat16()).dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_state": 12}, r"(?s)n_state=12, n_blocks=4, .*Try n_state=16"),
        ({"n_state": 4096, "n_blocks": 2}, r"at most 1024"),
        ({"n_state": 1}, r">= 2"),
        ({"discretization": "euler"}, r"one of zoh, bilinear, euler_b, foh, trapezoidal"),
        ({"dt_min": 0.0}, r"0 < dt_min <= dt_max"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ConfigError, match=message):
        S5(4, **options)
