"""Every layer beside `nn.GRU` and attention, and how their cost grows with the length."""

import torch

from performance.rounds import Section, alone, time_rounds, training, within
from timegrain.models import build_layer, models

# growth from 1,024 to 8,192 samples: 8 is linear, and an FFT's cost is l log l
GROWTH = {"s6": (7, 10), "mamba": (7, 10), "s5": (7, 10), "s4": (8, 12), "s4d": (8, 12)}
QUADRATIC = ("transformer",)  # timed in every third round


class Attention(torch.nn.Module):
    """torch's own causal attention."""

    def __init__(self, d):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(d, 4, batch_first=True)

    def forward(self, x):
        mask = torch.nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.attention(x, x, x, attn_mask=mask, is_causal=True, need_weights=False)[0]


class Recurrent(torch.nn.Module):
    """torch's own GRU."""

    def __init__(self, d):
        super().__init__()
        self.gru = torch.nn.GRU(d, d, batch_first=True)

    def forward(self, x):
        return self.gru(x)[0]


def layers(d):
    """Return all layers at their defaults, and torch's two."""
    torch.manual_seed(0)
    ours = {
        name: build_layer(name, d_model=d, seed=0)
        for name in sorted(entry.name for entry in models)
    }
    return {**ours, "nn.GRU": Recurrent(d), "nn.MultiheadAttention": Attention(d)}


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
        "own GRU and causal attention for scale.",
        rows=[alone(name, values) for name, values in seconds.items()],
    )
    return section


def growth(settings):
    """Time at eight times the length over time, within rounds."""
    b, short, d = (1, 32, 8) if settings.quick else (1, 1024, 64)
    rounds = settings.rounds if settings.quick else 7
    once, longer = runs(d, b, short), runs(d, b, 8 * short)
    names = [name for name in once if not name.startswith("nn.")]
    both = {}
    for name in names:
        both |= {(name, 1): once[name], (name, 8): longer[name]}
    seconds = time_rounds(both, rounds, every={(n, f): 3 for n in QUADRATIC for f in (1, 8)})
    section = Section(
        title="Growth with length",
        text=f"Time of forward and backward at l={8 * short} over the time at l={short}, b={b} "
        f"d={d}, within rounds: 8 is linear, overhead that does not grow brings it below, and "
        "caches too small for the longer one above. Attention, quadratic, in every third round.",
    )
    for name in names:
        pairs = zip(seconds[name, 8], seconds[name, 1], strict=True)
        low, high = GROWTH.get(name, (None, None))
        ratios = [b / a for b, a in pairs if a is not None]
        section.rows.append(within(name, ratios, "x", low=low, high=high))
    return section
