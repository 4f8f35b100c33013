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
        "b2s6",
        "timegrain.models.layers.b2s6:B2S6",
        "S6 in blocks of channels, with a bias of B in each channel",
    ),
    (
        "mamba",
        "timegrain.models.layers.mamba:Mamba",
        "Mamba's block: short convolution, S6, gate; the convolution cannot be told its step",
    ),
    (
        "mamba2",
        "timegrain.models.layers.mamba2:Mamba2",
        "Mamba-2's block: a matrix state and one decay per head, behind a short convolution",
    ),
    (
        "mamba3",
        "timegrain.models.layers.mamba3:Mamba3",
        "Mamba-3's block: trapezoidal update of a complex matrix state, no convolution",
    ),
    (
        "transformer",
        "timegrain.models.layers.transformer:Transformer",
        "multi-head softmax attention, positions in time or none",
    ),
    (
        "linear_attention",
        "timegrain.models.layers.linear_attention:LinearAttention",
        "attention with products of features in the place of softmax; a matrix state per head",
    ),
    (
        "gla",
        "timegrain.models.layers.gla:GLA",
        "gated linear attention: each key channel forgets at a rate that the input decides over",
    ),
    (
        "deltanet",
        "timegrain.models.layers.deltanet:DeltaNet",
        "linear attention by the delta rule, behind a short convolution",
    ),
    (
        "gated_deltanet",
        "timegrain.models.layers.gated_deltanet:GatedDeltaNet",
        "the delta rule with Mamba-2's gate, behind a short convolution",
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
