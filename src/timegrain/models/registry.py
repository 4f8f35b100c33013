"""The layers that can be asked for by name."""

from timegrain.core.registry import Registry

models = Registry("model")

for _name, _target, _summary in (
    (
        "s4d",
        "timegrain.models.layers.s4d:S4D",
        "diagonal state space layer, time-invariant (S4D-Lin)",
    ),
    ("s6", "timegrain.models.layers.s6:S6", "selective state space layer, the core of Mamba"),
    ("gru", "timegrain.models.layers.gru:GRU", "gated recurrent unit; cannot be told its step"),
):
    models.register(_name, _target, _summary)
