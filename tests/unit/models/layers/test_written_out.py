"""Layers with a matrix state against their equations, one sample after the other in numpy."""

import numpy as np
import pytest
import torch

from timegrain.core.errors import ConfigError
from timegrain.models import build_layer

LENGTH = 40


def signal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def silu(x):
    return x * sigmoid(x)


def softplus(x):
    return np.log1p(np.exp(x))


def rms(x, weight, eps):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * weight


def unit(x):
    return x / np.sqrt((x**2).sum(-1, keepdims=True) + 1e-6)


def filtered(w, u):
    """The short convolution, zeros before the first sample, and its activation."""
    weight, bias = w["conv.weight"], w.get("conv.bias", 0.0)
    width = weight.shape[1]
    rows = np.concatenate([np.zeros((width - 1, u.shape[1])), u])
    return silu(np.stack([(weight.T * rows[k : k + width]).sum(0) for k in range(len(u))]) + bias)


def linear_attention(w, x, s, heads):
    q, k, v = (x @ w[f"qkv.{i}.weight"].T for i in range(3))
    q, k = (np.where(z > 0, z + 1, np.exp(np.minimum(z, 0))) for z in (q, k))
    y = np.zeros_like(x)
    for h in np.split(np.arange(x.shape[1]), heads):
        for t in range(len(x)):
            weight = s[: t + 1] * (k[: t + 1, h] @ q[t, h])
            y[t, h] = weight @ v[: t + 1, h] / (weight.sum() + 1e-6)
    return y @ w["out.weight"].T


def gla(w, x, s, heads):
    q, k, v = (x @ w[f"{n}.weight"].T for n in "qkv")
    raw = x @ w["gate.0.weight"].T @ w["gate.1.weight"].T + w["gate.1.bias"]
    alpha = sigmoid(raw) ** (1 / 16)
    width = q.shape[1] // heads
    y = []
    halves = (np.split(np.arange(part.shape[1]), heads) for part in (q, v))
    for a, b in zip(*halves, strict=True):
        S, rows = np.zeros((len(a), len(b))), []
        for t in range(len(x)):
            kept = alpha[t, a] ** s[t]
            written = (1 - kept) / (1 - alpha[t, a]) * k[t, a]
            S = kept[:, None] * S + np.outer(written, v[t, b])
            rows.append(rms(S.T @ q[t, a] / np.sqrt(width), w["norm.weight"], 1e-18))
        y.append(np.stack(rows))
    gate = silu(x @ w["swish.weight"].T + w["swish.bias"])
    return (np.concatenate(y, 1) * gate) @ w["out.weight"].T


def delta(w, x, s, heads, *, gated):
    d = x.shape[1]
    u = filtered(w, x @ w["qkv.weight"].T)
    q, k, v = u[:, :d], u[:, d : 2 * d], u[:, 2 * d :]
    beta = 1 - (1 - sigmoid(x @ w["beta.weight"].T)) ** s[:, None]
    alpha = np.ones_like(beta)
    if gated:
        step = softplus(x @ w["forget.step.weight"].T + w["forget.step.bias"])
        alpha = np.exp(-s[:, None] * np.exp(w["forget.A_log"]) * step)
    y = []
    for h in range(heads):
        own = np.arange(d // heads) + h * (d // heads)
        values = np.arange(v.shape[1] // heads) + h * (v.shape[1] // heads)
        S, rows = np.zeros((len(own), len(values))), []
        for t in range(len(x)):
            key = unit(k[t, own])
            turn = np.eye(len(own)) - beta[t, h] * np.outer(key, key)
            S = alpha[t, h] * turn @ S + beta[t, h] * np.outer(key, v[t, values])
            read = S.T @ unit(q[t, own]) / np.sqrt(len(own))
            rows.append(rms(read, w["norm.weight"], 1e-18))
        y.append(np.stack(rows))
    y = np.concatenate(y, 1)
    return (y * silu(x @ w["swish.weight"].T) if gated else y) @ w["out.weight"].T


def deltanet(w, x, s, heads):
    return delta(w, x, s, heads, gated=False)


def gated_deltanet(w, x, s, heads):
    return delta(w, x, s, heads, gated=True)


def mamba2(w, x, s, heads, limit=(0.0, np.inf), eps=1e-5):
    inner, n = w["norm.weight"].size, 3
    made = x @ w["in_proj.weight"].T + w.get("in_proj.bias", 0.0)
    z, u = made[:, :inner], filtered(w, made[:, inner:])
    v, B, C = u[:, :inner], u[:, inner:-n], u[:, -n:]
    step = softplus(x @ w["forget.step.weight"].T + w["forget.step.bias"])
    step = s[:, None] * np.clip(step, *limit)
    y = np.zeros_like(v)
    for h, own in enumerate(np.split(np.arange(inner), heads)):
        S = np.zeros((n, len(own)))
        for t in range(len(x)):
            kept = np.exp(-np.exp(w["forget.A_log"][h]) * step[t, h])
            S = kept * S + step[t, h] * np.outer(B[t], v[t, own])
            y[t, own] = C[t] @ S + w["D"][h] * v[t, own]
    out = rms(y * silu(z), w["norm.weight"], eps) @ w["out_proj.weight"].T
    return out + w.get("out_proj.bias", 0.0)


def turn(x, angles):
    z = (x[: 2 * len(angles) : 2] + 1j * x[1 : 2 * len(angles) : 2]) * np.exp(1j * angles)
    pairs = np.stack([z.real, z.imag], 1).ravel()
    return np.concatenate([pairs, x[2 * len(angles) :]])


def mamba3(w, x, s, heads, rank=1):
    inner, n, pairs = w["out_proj.weight"].shape[1], 4, 1
    cuts = np.cumsum([inner, inner, n * rank, n * rank, heads, heads, heads])
    z, v, B, C, dt, A, gate, theta = np.split(x @ w["in_proj.weight"].T, cuts, axis=1)
    B, C = (
        rms(part.reshape(len(x), rank, 1, n), w[f"{name}_norm.weight"], 1e-5) + w[f"{name}_bias"]
        for part, name in ((B, "B"), (C, "C"))
    )
    step = s[:, None] * softplus(dt + w["dt_bias"])
    A, gate = -np.maximum(softplus(A), 1e-4), sigmoid(gate)
    y = np.zeros_like(v)
    for h, own in enumerate(np.split(np.arange(inner), heads)):
        S, angles = np.zeros((n, len(own))), np.zeros(pairs)
        before = [(np.zeros(n), np.zeros(len(own)))] * rank
        for t in range(len(x)):
            angles = angles + np.pi * np.tanh(theta[t]) * step[t, h]
            kept = np.exp(A[t, h] * step[t, h])
            S = kept * S
            new = []
            for r in range(rank):
                value = v[t, own] * (w["ranks.into"][r, h] if rank > 1 else 1.0)
                new.append((turn(B[t, r, h], angles), value))
                S = S + (1 - gate[t, h]) * step[t, h] * kept * np.outer(*before[r])
                S = S + gate[t, h] * step[t, h] * np.outer(*new[r])
            before = new
            for r in range(rank):
                read = turn(C[t, r, h], angles) @ S + w["D"][h] * new[r][1]
                more = w["ranks.gate"][r, h] if rank > 1 else 1.0
                share = w["ranks.out"][r, h] if rank > 1 else 1.0
                y[t, own] += read * silu(z[t, own] * more) * share
    return y @ w["out_proj.weight"].T


def b2s6(w, x, s, heads):
    n, width = w["A_log"].shape[1], x.shape[1] // heads
    y = np.zeros_like(x)
    for c in range(x.shape[1]):
        block = c // width
        made = x[:, block * width : (block + 1) * width] @ w["x_proj"][block].T
        low, B, C = made[:, : -2 * n], made[:, -2 * n : -n], made[:, -n:]
        step = s * softplus(low @ w["dt_proj"][block, c % width] + w["dt_bias"][c])
        h = np.zeros(n)
        for t in range(len(x)):
            h = np.exp(-np.exp(w["A_log"][c]) * step[t]) * h
            h = h + step[t] * (B[t] + w["B_bias"][c]) * x[t, c]
            y[t, c] = C[t] @ h + w["D"][c] * x[t, c]
    return y


LAYERS = {
    "linear_attention": (linear_attention, {"n_heads": 2}),
    "gla": (gla, {"n_heads": 2}),
    "deltanet": (deltanet, {"n_heads": 2}),
    "gated_deltanet": (gated_deltanet, {"n_heads": 2}),
    "mamba2": (mamba2, {"n_heads": 2, "n_state": 3}),
    "mamba3": (mamba3, {"n_heads": 2, "n_state": 4}),
    "b2s6": (b2s6, {"n_blocks": 2, "n_state": 3}),
}


def disturbed(layer):
    """Give every weight that begins at a round number one of its own."""
    with torch.no_grad():
        for number, weight in enumerate(layer.parameters()):
            weight.add_(0.3 * signal(*weight.shape, seed=number))
    return layer


@pytest.mark.parametrize("steps", ["one", "varying"])
@pytest.mark.parametrize("name", LAYERS)
def test_it_is_the_equations(name, steps):
    by_hand, options = LAYERS[name]
    layer = disturbed(build_layer(name, d_model=8, seed=0, **options).double())
    x = signal(1, LENGTH, 8)
    s = torch.ones(LENGTH) if steps == "one" else signal(LENGTH, seed=1).exp()
    weights = {key: value.numpy() for key, value in layer.state_dict().items()}
    wanted = by_hand(weights, x[0].numpy(), s.double().numpy(), 2)
    got = layer(x, 1.0 if steps == "one" else s.double()[None])[0].detach().numpy()
    assert np.abs(got - wanted).max() < 1e-9 * np.abs(wanted).max()


def test_mamba2_with_biases_and_a_limit_of_its_step():
    limit, options = (0.01, 0.03), {"n_heads": 2, "n_state": 3, "bias": True, "conv_bias": False}
    layer = build_layer("mamba2", d_model=8, seed=0, dt_limit=limit, norm_eps=0.1, **options)
    layer, x, s = disturbed(layer).double(), signal(1, LENGTH, 8), signal(LENGTH, seed=1).exp()
    weights = {key: value.numpy() for key, value in layer.state_dict().items()}
    assert "conv.bias" not in weights and "out_proj.bias" in weights
    delta = layer.forget.delta(x)
    assert all(((delta < limit[0]).any(), (delta > limit[1]).any()))
    wanted = mamba2(weights, x[0].numpy(), s.numpy(), 2, limit, 0.1)
    got = layer(x, s[None])[0].detach().numpy()
    assert np.abs(got - wanted).max() < 1e-9 * np.abs(wanted).max()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dt_limit": (0.5, 0.1)}, "dt_limit bounds Delta"),
        ({"dt_limit": (0.0, float("nan"))}, "dt_limit bounds Delta"),
        ({"dt_limit": 3}, "dt_limit bounds Delta"),
        ({"norm_eps": 0.0}, "norm_eps is above zero"),
        ({"bias": "no"}, "bias is a yes or no"),
        ({"conv_bias": 1}, "conv_bias is a yes or no"),
    ],
    ids=str,
)
def test_options_of_mamba2_outside_their_domain(options, words):
    with pytest.raises(ConfigError, match=words):
        build_layer("mamba2", d_model=8, **options)


def test_several_inputs_and_outputs_of_a_head():
    layer = disturbed(build_layer("mamba3", d_model=8, seed=0, n_heads=2, n_state=4, rank=3))
    layer, x, s = layer.double(), signal(1, LENGTH, 8), signal(LENGTH, seed=1).exp()
    weights = {key: value.numpy() for key, value in layer.state_dict().items()}
    wanted = mamba3(weights, x[0].numpy(), s.numpy(), 2, rank=3)
    got = layer(x, s[None])[0].detach().numpy()
    assert np.abs(got - wanted).max() < 1e-9 * np.abs(wanted).max()


def test_one_block_without_bias_is_s6():
    from_s6 = build_layer("s6", d_model=8, seed=0).double()
    layer = build_layer("b2s6", d_model=8, seed=0, n_blocks=1).double()
    with torch.no_grad():
        layer.x_proj[0].copy_(from_s6.x_proj.weight)
        layer.dt_proj[0].copy_(from_s6.dt_proj.weight)
        layer.dt_bias.copy_(from_s6.dt_proj.bias)
        layer.B_bias.zero_()
    x = signal(2, LENGTH, 8)
    torch.testing.assert_close(layer(x, 0.3), from_s6(x, 0.3), rtol=0, atol=1e-13)
