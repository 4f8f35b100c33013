"""The families of signals, by name."""

from timegrain.core.registry import Registry

signal_families = Registry("family of signals")

_WHERE = "timegrain.data.signals.families"
for _name, _summary in (
    ("sines", "sums of five sines, up to 4.5 cycles a window (the default)"),
    ("fourier", "Fourier series of eight harmonics"),
    ("chebyshev", "Chebyshev series of degree 20"),
    ("chirp", "sines of rising frequency, 1 to 8 cycles a window"),
    ("c0", "continuous with kinks: no order above 2"),
    ("c1", "one continuous derivative: no order above 3"),
    ("c2", "two continuous derivatives: no order above 4"),
    ("c3", "three continuous derivatives: no order above 5"),
    ("c4", "four continuous derivatives: no order above 6"),
    ("steps", "jumps at times on no grid: no order above 1"),
    ("brownian", "Brownian motion, one path on nested grids: no order above 1"),
):
    signal_families.register(_name, f"{_WHERE}:{_name.upper()}", _summary)
