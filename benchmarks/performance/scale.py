"""Every layer beside torch's own GRU, LSTM and attention, and how their cost grows with length."""

from statistics import median

import torch

from performance.rounds import Section, alone, time_rounds, training, within
from timegrain.models import build_layer, models

# growth from 1,024 to 8,192 samples: 8 is linear, and an FFT's cost is l log l
GROWTH = {"s6": (7, 10), "mamba": (7, 10), "s5": (7, 10), "s4": (8, 12), "s4d": (8, 12)}


class Attention(torch.nn.Module):
    """torch's own causal attention."""

    def __init__(self, d):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(d, 4, batch_first=True)

    def forward(self, x):
        mask = torch.nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.attention(x, x, x, attn_mask=mask, is_causal=True, need_weights=False)[0]


class Recurrent(torch.nn.Module):
    """One of torch's own recurrent layers."""

    def __init__(self, layer, d):
        super().__init__()
        self.layer = layer(d, d, batch_first=True)

    def forward(self, x):
        return self.layer(x)[0]


def layers(d):
    """Return all layers at their defaults, and torch's three."""
    torch.manual_seed(0)
    ours = {
        name: build_layer(name, d_model=d, seed=0)
        for name in sorted(entry.name for entry in models)
    }
    return {
        **ours,
        "nn.GRU": Recurrent(torch.nn.GRU, d),
        "nn.LSTM": Recurrent(torch.nn.LSTM, d),
        "nn.MultiheadAttention": Attention(d),
    }


def runs(d, b, length):
    """Return forward and backward of each layer."""
    generator = torch.Generator().manual_seed(0)
    x, upstream = (torch.randn(b, length, d, generator=generator) for _ in range(2))
    x.requires_grad_()
    return {
        name: training(lambda f=layer: f(x), [x, *layer.parameters()], upstream)
        for name, layer in layers(d).items()
    }


def measure(settings):
    b, length, d = (1, 32, 8) if settings.quick else (8, 1024, 64)
    rounds = settings.rounds if settings.quick else 7
    seconds = time_rounds(runs(d, b, length), rounds)
    section = Section(
        title="All layers",
        text=f"Forward and backward of one layer at its defaults, b={b} l={length} d={d}; torch's "
        "own GRU, LSTM and causal attention for scale.",
        rows=[alone(name, values) for name, values in seconds.items()],
    )
    return section


def growth(settings):
    """Time at eight times the length over time, within rounds."""
    short, d = (32, 8) if settings.quick else (1024, 64)
    rounds = settings.rounds if settings.quick else 7
    section = Section(
        title="Growth with length",
        text=f"Time of forward and backward at l={8 * short} over the time at l={short}, d={d}, "
        "within rounds: 8 is linear, overhead that does not grow brings it below, and caches too "
        "small for the longer one above. Batches are so large that what a call costs whatever the "
        "length is small beside the work.",
    )
    names = [name for name in layers(d) if not name.startswith("nn.")]
    calls = []
    for b, chosen in ((32, GROWTH), (2, [name for name in names if name not in GROWTH])):
        b = 1 if settings.quick else b
        lengths = {factor: runs(d, b, factor * short) for factor in (1, 8)}
        lengths[0] = runs(d, b, 1)  # nothing but the call
        every = {(name, factor): lengths[factor][name] for name in chosen for factor in (1, 8, 0)}
        seconds = time_rounds(every, rounds)
        for name in chosen:
            pairs = zip(seconds[name, 8], seconds[name, 1], strict=True)
            low, high = GROWTH.get(name, (None, None))
            ratios = [longer / shorter for longer, shorter in pairs]
            section.rows.append(within(f"{name}, b={b}", ratios, "x", low=low, high=high))
            one, some = (median(seconds[name, factor]) for factor in (0, 1))
            calls.append(f"{name} {one * 1e3:.2g} ms of {some * 1e3:.3g} ms")
    section.notes.append(
        f"What a call on one sample a sequence takes, of the time at l={short}: "
        f"{', '.join(calls)}. The more of it, the further below 8 a linear cost is."
    )
    return section
