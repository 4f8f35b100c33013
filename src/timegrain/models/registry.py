"""The layers that can be asked for by name."""

from timegrain.core.registry import Registry

models = Registry("model")

for _name, _target, _summary in (
    (
        "s4",
        "timegrain.models.layers.s4:S4",
        "diagonal plus low rank state space layer, time-invariant (HiPPO-LegS, FouT)",
    ),
    (
        "s4d",
        "timegrain.models.layers.s4d:S4D",
        "diagonal state space layer, time-invariant (Lin, Inv, LegS, real)",
    ),
    (
        "s5",
        "timegrain.models.layers.s5:S5",
        "diagonal state space layer with one state for all channels, time-invariant (S5)",
    ),
    (
        "lru",
        "timegrain.models.layers.lru:LRU",
        "linear recurrent unit: a complex diagonal recurrence on a ring, time-invariant",
    ),
    ("s6", "timegrain.models.layers.s6:S6", "selective state space layer, the core of Mamba"),
    (
        "mamba",
        "timegrain.models.layers.mamba:Mamba",
        "Mamba's block: short convolution, S6, gate; the convolution cannot be told its step",
    ),
    (
        "transformer",
        "timegrain.models.layers.transformer:Transformer",
        "multi-head softmax attention, positions in time or none",
    ),
    (
        "ckconv",
        "timegrain.models.layers.ckconv:CKConv",
        "convolution whose kernel is a network of the time difference; needs whole sequences",
    ),
    ("gru", "timegrain.models.layers.gru:GRU", "gated recurrent unit; cannot be told its step"),
    (
        "lstm",
        "timegrain.models.layers.lstm:LSTM",
        "long short-term memory; cannot be told its step",
    ),
    (
        "tcn",
        "timegrain.models.layers.tcn:TCN",
        "dilated causal convolutions in residual blocks; cannot be told its step",
    ),
):
    models.register(_name, _target, _summary)
