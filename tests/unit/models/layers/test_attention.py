import pytest
import torch

from timegrain.models.layers import attention as module
from timegrain.models.layers.attention import LEAST, attention


def heads(time=11, seen=17):
    random = torch.Generator().manual_seed(0)
    draw = [torch.randn(2, 3, n, 4, generator=random).double() for n in (time, seen, seen)]
    return [t.requires_grad_() for t in draw]


def softmax(q, k, v, bias, causal):
    """The formula, with all logits at once."""
    logits = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5
    if bias is not None:
        logits = logits + bias[:, None, None, :]
    if causal:
        time, seen = logits.shape[2:]
        ahead = torch.arange(seen) > torch.arange(seen - time, seen)[:, None]
        logits = logits.masked_fill(ahead, -torch.inf)
    return logits.softmax(-1) @ v


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize(("time", "seen"), [(17, 17), (11, 17), (1, 17)])
@pytest.mark.parametrize("block", [2**22, 17 * 4])  # whole; four queries at a time
def test_is_the_formula_and_its_gradients(monkeypatch, causal, biased, time, seen, block):
    monkeypatch.setattr(module, "BLOCK", block)
    q, k, v = heads(time, seen)
    bias = None
    if biased:
        bias = torch.randn(2, seen, generator=torch.Generator().manual_seed(1)).double()
        bias[0, 2:5] = LEAST
    got = attention(q, k, v, bias=bias, causal=causal)
    wanted = softmax(q, k, v, bias, causal)
    torch.testing.assert_close(got, wanted, rtol=0, atol=1e-14)
    for a, b in zip(
        torch.autograd.grad((got**3).sum(), (q, k, v)),
        torch.autograd.grad((wanted**3).sum(), (q, k, v)),
        strict=True,
    ):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-13)


def test_a_query_without_a_key_has_a_value():
    q, k, v = heads(17, 17)
    bias = torch.full((2, 17), LEAST, dtype=torch.float64)
    y = attention(q, k, v, bias=bias)
    y.sum().backward()
    assert all(torch.isfinite(t).all() for t in (y, q.grad, k.grad, v.grad))


def test_a_bias_keeps_its_digits_in_half_precision():
    q, k, v = (t.detach()[:, :, :1].expand(2, 3, 17, 4).to(torch.bfloat16) for t in heads())
    v = torch.arange(17.0).to(torch.bfloat16)[:, None].expand(2, 3, 17, 4)
    bias = (40 + torch.arange(17.0) / 50).expand(2, 17)  # bfloat16 has 40.25 next to 40
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = attention(q, k, v, bias=bias)
    weights = bias.exp()
    wanted = (weights * torch.arange(17.0)).cumsum(1) / weights.cumsum(1)
    assert y.dtype == torch.bfloat16
    # The output is rounded to a relative 2^-9.
    torch.testing.assert_close(y[:, 0, :, 0].float(), wanted, rtol=2**-8, atol=0)


@pytest.mark.parametrize(("uneven", "past"), [(False, 0), (True, 0), (False, 1), (True, 1)])
def test_memory_grows_with_the_length_alone(monkeypatch, uneven, past):
    # Entries of every tensor kept for the backward pass, in lengths: no mask of all pairs.
    monkeypatch.setattr(module, "BLOCK", 2**14)
    kept = []
    for length in (512, 1024):
        q = torch.randn(1, 1, length, 2, requires_grad=True)
        k, v = (torch.randn(1, 1, length + past, 2, requires_grad=True) for _ in range(2))
        bias = torch.zeros(1, length + past) if uneven else None
        sizes = {}
        with torch.autograd.graph.saved_tensors_hooks(
            lambda t, sizes=sizes: sizes.update({t.data_ptr(): t.numel()}) or t, lambda t: t
        ):
            attention(q, k, v, bias=bias)
        kept.append(sum(sizes.values()) / length)
    assert kept[1] < 1.1 * kept[0] < 100
