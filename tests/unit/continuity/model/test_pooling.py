"""What a classifier pools is found by watching it, or said not to be."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from timegrain.continuity.model.measure import model_continuity
from timegrain.continuity.model.pooling import find_pooled
from timegrain.core import ModelError, Outcome

WIDTH = 6
RNG = np.random.default_rng(0)
SAMPLES = RNG.standard_normal((1, 16, 2)), RNG.standard_normal((1, 31, 2))


class Parts(nn.Module):
    """What the classifiers below are made of."""

    def __init__(self, classify) -> None:
        super().__init__()
        self.classify = classify
        self.encoder = nn.Linear(2, WIDTH)
        self.gate = nn.Linear(2, WIDTH)
        self.gru = nn.GRU(2, WIDTH, batch_first=True)
        self.lstm = nn.LSTM(2, WIDTH, batch_first=True)
        self.both_ways = nn.LSTM(2, WIDTH // 2, batch_first=True, bidirectional=True)
        self.cell = nn.GRUCell(2, WIDTH)
        self.conv = nn.Conv1d(2, WIDTH, 5, padding=2)
        self.strided = nn.Conv1d(2, WIDTH, 4, stride=2)
        self.mixer = nn.TransformerEncoderLayer(WIDTH, 2, 8, dropout=0.0, batch_first=True)
        self.weigh = nn.Linear(WIDTH, 1)
        self.relu = nn.ReLU(inplace=True)
        self.head = nn.Linear(WIDTH, 3)
        self.wide_head = nn.Linear(2 * WIDTH, 3)

    def forward(self, x):
        return self.classify(self, x)

    def walk(self, x):
        h, states = x.new_zeros(1, WIDTH), []
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
            states.append(h)
        return states

    def filled(self, x):
        y = x.new_zeros(1, x.shape[1], WIDTH)
        for t, h in enumerate(self.walk(x)):
            y[:, t] = h
        return y


def attention(net, x):
    h = net.gru(x)[0]
    return net.head((torch.softmax(net.weigh(h), 1).transpose(1, 2) @ h)[:, 0])


def masked(net, x):
    mask = torch.ones(*x.shape[:2], 1, dtype=x.dtype)
    return net.head((net.gru(x)[0] * mask).sum(1) / mask.sum(1))


def mean_and_largest(net, x):
    h = net.gru(x)[0]
    return net.wide_head(torch.cat([h.mean(1), h.amax(1)], -1))


def gated(net, x):
    h = net.gru(x)[0]
    return net.head((h * torch.sigmoid(net.gate(x))).mean(1))


def convolving(net, x):
    h = net.relu(net.conv(x.transpose(1, 2)))
    return net.head(F.adaptive_avg_pool1d(h, 1).flatten(1))


def residual(net, x):
    h = net.encoder(x)
    return net.head((h + net.mixer(h)).mean(1))


FOUND = {
    "mean": (lambda net, x: net.head(net.gru(x)[0].mean(1)), "gru, which mean reads"),
    "last sample": (lambda net, x: net.head(net.gru(x)[0][:, -1]), "gru, which select reads"),
    "last state": (lambda net, x: net.head(net.gru(x)[1][-1]), "output of gru"),
    "last states": (
        lambda net, x: net.head(net.both_ways(x)[1][0].transpose(0, 1).flatten(1)),
        "output of both_ways",
    ),
    "mean and largest": (mean_and_largest, "gru, which amax reads"),
    "attention": (attention, "gru, which bmm reads"),
    "masked": (masked, "gru, which sum reads"),
    "gated": (gated, "no submodule returns, which mean reads"),
    "residual": (residual, "no submodule returns, which mean reads"),
    "channels first": (convolving, "output of relu, which mean reads"),
    "a loop, stacked": (lambda net, x: net.head(torch.stack(net.walk(x), 1).mean(1)), "no submod"),
    "a loop, filled": (lambda net, x: net.head(net.filled(x)[:, -1]), "no submodule returns"),
}

HIDDEN = {
    "two sequences": (
        lambda net, x: net.head(net.lstm(x)[0].mean(1) + net.gru(x)[0].mean(1)),
        "more than the last sequence",
    ),
    "a state of its own": (lambda net, x: net.head(net.lstm(x)[1][1][-1]), "more than the last"),
    "a loop": (lambda net, x: net.head(net.walk(x)[-1]), "one by one"),
    "a loop on features": (
        lambda net, x: net.head(net.walk(torch.tanh(x))[-1]),
        "one by one",
    ),
    "strided": (
        lambda net, x: net.head(net.strided(x.transpose(1, 2)).mean(-1)),
        "number of samples",
    ),
    "spectrum": (
        lambda net, x: net.head(torch.fft.rfft(net.gru(x)[0], dim=1).abs().mean(1)),
        "number of samples",
    ),
    "numpy": (
        lambda net, x: net.head(torch.from_numpy(net.gru(x)[0].numpy().mean(1))),
        "more than the last sequence",
    ),
}


def parts(classify):
    torch.manual_seed(0)
    return Parts(classify).double().eval()


def runner(net):
    def run(x):
        with torch.no_grad():
            return net(torch.from_numpy(np.ascontiguousarray(x)))

    return run


@pytest.mark.parametrize("name", FOUND)
def test_what_is_pooled_is_found_and_named(name):
    classify, words = FOUND[name]
    net = parts(classify)
    found = find_pooled(runner(net), SAMPLES, module=net)
    assert words in found.words
    for x in SAMPLES:
        raw, sequence = found.read(runner(net), x)
        assert sequence.shape == (1, x.shape[1], WIDTH)
        assert torch.equal(raw, runner(net)(x))


@pytest.mark.parametrize("name", ["mean", "last state", "residual", "a loop, filled"])
def test_what_is_found_is_what_the_model_computes(name):
    net = parts(FOUND[name][0])
    x = SAMPLES[1]
    with torch.no_grad():
        tensor = torch.from_numpy(x)
        expected = {
            "mean": lambda: net.gru(tensor)[0],
            "last state": lambda: net.gru(tensor)[0],
            "residual": lambda: net.encoder(tensor) + net.mixer(net.encoder(tensor)),
            "a loop, filled": lambda: net.filled(tensor),
        }[name]()
    _, sequence = find_pooled(runner(net), SAMPLES, module=net).read(runner(net), x)
    # A fused encoder layer rounds otherwise than its parts: some eps on values of order 1.
    np.testing.assert_allclose(sequence, expected.numpy(), atol=1e-13)


@pytest.mark.parametrize("name", HIDDEN)
def test_what_cannot_be_seen_is_refused_with_the_reason(name):
    classify, why = HIDDEN[name]
    net = parts(classify)
    with pytest.raises(ModelError, match=why):
        find_pooled(runner(net), SAMPLES, module=net)


def test_samples_and_model_are_left_alone():
    net = parts(FOUND["mean"][0])
    before = [x.copy() for x in SAMPLES]
    find_pooled(runner(net), SAMPLES, module=net)
    assert all(np.array_equal(a, b) for a, b in zip(before, SAMPLES, strict=True))
    assert not any(m._forward_hooks for m in net.modules())


def test_a_model_that_does_something_else_on_long_input_is_an_error():
    def switching(net, x):
        h = net.gru(x)[0]
        return net.head(h.mean(1) if x.shape[1] < 40 else h.amax(1))

    run = runner(parts(switching))
    found = find_pooled(run, SAMPLES)
    found.read(run, np.zeros((1, 39, 2)))
    with pytest.raises(ModelError, match="other operations on 64 samples"):
        found.read(run, np.zeros((1, 64, 2)))


FEW = {"seeds": 2, "levels": 4, "d_input": 2}


@pytest.mark.parametrize("name", ["mean", "last state", "gated"])
def test_a_classifier_that_counts_samples_loses_its_memory(name):
    result = model_continuity(parts(FOUND[name][0]), **FEW)
    assert result.outcome is Outcome.MEMORY_COLLAPSES
    assert {row.layer for row in result.memory} == {"pooled"}
    assert result.layers == ("output", "pooled")
    assert any("watching its operations" in note for note in result.notes)


def test_a_mean_of_the_input_is_memoryless():
    result = model_continuity(parts(lambda net, x: net.head(net.encoder(x.mean(1)))), **FEW)
    assert result.outcome is Outcome.MEMORYLESS


@pytest.mark.parametrize("name", ["a loop", "two sequences"])
def test_a_classifier_whose_memory_is_hidden_promises_nothing(name):
    result = model_continuity(parts(HIDDEN[name][0]), **FEW)
    assert result.memory is None
    assert not result.memory_seen
    assert HIDDEN[name][1] in result.reasons["memory"]
    assert result.notes[0].startswith("The memory was not seen.")
