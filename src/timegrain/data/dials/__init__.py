"""Dials: turn one property of a dataset and see what follows."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Dial": "kinds",
        "add_noise": "noise",
        "decimate": "thin",
        "dials": "kinds",
        "load_dial": "kinds",
        "parse_dials": "words",
        "turn_eta": "symbols",
        "window_shuffle": "shuffle",
    },
)
