"""The compiled convolution and kernels on sequences of any size, and on what is not finite."""

import math

import pytest
import torch

from timegrain.core.errors import ConfigError
from timegrain.kernels import lti_conv, s4d_kernel
from timegrain.kernels.lti.filter.filter import zoh_filter
from timegrain.kernels.lti.zoh.kernel import zoh_kernel
from timegrain.models.build import build_layer

NAN = math.nan


def draw(*shape, seed, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def scaled(sizes, length, seed):
    """One sequence of each size; one of NaN has one NaN, early and in one channel."""
    size = torch.tensor([1.0 if math.isnan(s) else s for s in sizes])
    x = draw(len(sizes), length, 3, seed=seed) * size[:, None, None]
    for i, s in enumerate(sizes):
        if math.isnan(s):
            x[i, 3, 1] = s
    return x


def outcome(u, K, upstream, backend="numba"):
    """The output and the gradients."""
    leaves = [u.detach().clone().requires_grad_(), K.detach().clone().requires_grad_()]
    y = lti_conv(*leaves, backend=backend)
    y.backward(upstream)
    return y.detach(), leaves[0].grad, leaves[1].grad


def rounding(length):
    """Three transforms of `2 length` points, relative to the product of two 2-norms."""
    return 3 * torch.finfo(torch.float32).eps * (math.log2(2 * length) + 2)


@pytest.mark.parametrize("length", [300, 1024])
def test_sequences_that_share_a_transform_share_neither_rounding_nor_nan(length):
    u = scaled([1e-6, 1.0, 1.0, NAN, 0.0, 1.0, 1e-30, 1e30, 1.0, 1e-20, 1.0], length, 0)
    upstream = scaled([1.0, 1e6, NAN, 1.0, 1.0, 1e-8, 1.0, 1e-25, 0.0, 1.0, 1e-9], length, 1)
    K = draw(3, length, seed=2) / length**0.5
    y, gu, _ = outcome(u, K, upstream)
    wide = [t.double() for t in (u, K, upstream)]
    exact, exact_gu, _ = outcome(*wide, backend="torch")
    norms = K.norm(dim=1)
    for got, want, given in ((y, exact, u), (gu, exact_gu, upstream)):
        assert torch.equal(got.isnan(), want.isnan())
        # numbers that are none in float32 are below the least of a product's terms
        bound = rounding(length) * given.double().norm(dim=1, keepdim=True) * norms + 1e-37
        assert ((got - want).abs() <= bound)[~want.isnan()].all()
    assert not y[4].any() and not gu[8].any()


def test_the_kernels_gradient_keeps_its_precision_whatever_the_sizes():
    u = scaled([1.0, 1e8, 1e-3, 1.0, NAN], 300, 0)
    upstream = scaled([1e8, 1.0, 1.0, 0.0, 1.0], 300, 1)
    K = draw(3, 300, seed=2)
    got, want = (
        outcome(*(t.to(kind) for t in (u, K, upstream)), backend=backend)[2]
        for kind, backend in ((torch.float32, "numba"), (torch.float64, "torch"))
    )
    assert got[1].isnan().all()  # the channel with NaN in a sequence
    norms = u.double().norm(dim=1) * upstream.double().norm(dim=1)
    bound = 5 * rounding(300) * norms.amax(0)
    assert ((got - want).abs() <= bound[:, None])[[0, 2]].all()


def test_short_sequences_keep_nan_out_of_the_past():
    u, K, upstream = draw(2, 21, 3, seed=0), draw(3, 21, seed=1), draw(2, 21, 3, seed=2)
    u[0, 5, 1], upstream[1, 12, 2] = NAN, math.inf
    y, gu, gK = outcome(u, K, upstream)
    reached, past = torch.zeros(2, 2, 21, 3, dtype=torch.bool)
    reached[0, 5:, 1] = past[1, :13, 2] = True
    assert torch.equal(~y.isfinite(), reached)
    assert torch.equal(~gu.isfinite(), past)
    assert gK[0].isfinite().all() and not gK[1:, 0].isfinite().any()


@pytest.mark.parametrize("length", [5, 300])
@pytest.mark.parametrize("which", range(5))
def test_a_parameter_that_is_nan_is_seen(which, length):
    parameters = [draw(2, seed=0) - 3, *(draw(2, 3, seed=s) for s in (1, 2)), draw(2, 3, 2, seed=3)]
    tensors = [t.requires_grad_() for t in (*parameters, draw(2, seed=4))]
    with torch.no_grad():
        tensors[which].view(2, -1)[0, 0] = NAN
    y = zoh_filter(torch.ones(1, length, 2), *tensors[:4], skip=tensors[4], backend="numba")
    y.square().sum().backward()
    assert y[..., 0].isnan().all() and y[..., 1].isfinite().all()
    assert any(t.grad[0].isnan().any() for t in tensors)
    assert all(t.grad[1].isfinite().all() for t in tensors)


def test_an_exponent_or_a_weight_that_is_nan_is_seen():
    one = torch.ones(1, 1) + 0j
    for broken in (complex(NAN, 1.0), complex(-1.0, NAN)):
        z = torch.full((1, 1), broken)
        for length in (1, 5):
            assert s4d_kernel(z, one, length, backend="numba").isnan().all()
        assert s4d_kernel(-one, z, 5, backend="numba").isnan().any()


def test_a_ratio_that_is_no_number_is_an_error():
    parameters = [draw(2, seed=0), *(draw(2, 3, seed=s) for s in (1, 2)), draw(2, 3, 2, seed=3)]
    for ratio in (NAN, "2", torch.ones(()), True):
        with pytest.raises(ConfigError, match="needs a ratio of steps"):
            zoh_kernel(*parameters, 5, ratio=ratio)
        with pytest.raises(ConfigError, match="needs a ratio of steps"):
            zoh_filter(torch.ones(1, 5, 2), *parameters, ratio=ratio)


def test_a_nested_tensor_is_refused_in_our_words():
    parameters = [draw(2, seed=0), *(draw(2, 3, seed=s) for s in (1, 2)), draw(2, 3, 2, seed=3)]
    nested = torch.nested.nested_tensor([torch.ones(5, 2), torch.ones(3, 2)])
    with pytest.raises(ConfigError, match="zoh_filter"):
        zoh_filter(nested, *parameters)


def test_training_may_follow_an_evaluation_in_inference_mode():
    """Tensors kept from an evaluation could not be saved for a backward pass."""
    layer, x = build_layer("s4", d_model=2, n_state=4, seed=0), torch.randn(1, 53, 2)
    with torch.inference_mode():
        layer(x)
    layer(x).sum().backward()
