"""Mamba's block against both paths that transformers has on a CPU, on the same weights."""

import torch
import transformers
from transformers.models.mamba.modeling_mamba import MambaMixer

from performance.rounds import Section, beside, compare, gradients, time_rounds, training
from timegrain.models import build_layer

NAMES = {
    "in_proj.weight": "in_proj.weight",
    "conv.weight": "conv1d.weight",
    "conv.bias": "conv1d.bias",
    "ssm.x_proj.weight": "x_proj.weight",
    "ssm.dt_proj.weight": "dt_proj.weight",
    "ssm.dt_proj.bias": "dt_proj.bias",
    "ssm.A_log": "A_log",
    "ssm.D": "D",
    "out_proj.weight": "out_proj.weight",
}


def mixer(ours, d, *, use_mambapy):
    """Return their block with our weights."""
    config = transformers.MambaConfig(
        hidden_size=d, state_size=16, expand=2, time_step_rank=-(-d // 16), use_mambapy=use_mambapy
    )
    theirs = MambaMixer(config, layer_idx=0).train()
    parameters, source = dict(theirs.named_parameters()), dict(ours.named_parameters())
    with torch.no_grad():
        for name, their_name in NAMES.items():
            target = parameters.pop(their_name)
            target.copy_(source[name].view_as(target))
    if parameters:
        raise SystemExit(f"transformers' block has parameters that ours lacks: {list(parameters)}")
    return theirs


def measure(settings):
    b, length, d = (1, 32, 8) if settings.quick else (8, 1024, 32)
    transformers.logging.set_verbosity_error()
    ours = build_layer("mamba", d_model=d, seed=0)
    layers = {
        "timegrain": ours,
        "transformers, default": mixer(ours, d, use_mambapy=False),
        "transformers, use_mambapy": mixer(ours, d, use_mambapy=True),
    }
    generator = torch.Generator().manual_seed(0)
    x, upstream = (torch.randn(b, length, d, generator=generator) for _ in range(2))
    x.requires_grad_()
    results, runs = {}, {}
    for name, layer in layers.items():
        table = NAMES if layer is ours else NAMES.values()
        parameters = [dict(layer.named_parameters())[n] for n in table]
        tensors = [x, *parameters]
        found = gradients(lambda f=layer: f(x), tensors, upstream)
        results[name] = [f.flatten() for f in found]
        runs[name] = training(lambda f=layer: f(x), tensors, upstream)
    bound = 10 * length * torch.finfo(torch.float32).eps
    for name in list(layers)[1:]:
        compare(results["timegrain"], results[name], bound, ["y", "x", *NAMES])
    return _timed(runs, b, length, d, settings)


def _timed(runs, b, length, d, settings):
    ours, default, by_mambapy = runs
    # the comparison of gradients was the slow one's first call
    seconds = time_rounds(runs, min(settings.rounds, 7), warm=(default,))
    what = f"forward and backward, b={b} l={length} d={d}, inner {2 * d}, n=16"
    return Section(
        title="Mamba's block",
        text="Projections, short convolution, S6 and gate, with the same weights as `MambaMixer`. "
        "Without CUDA kernels transformers' default is a loop over time in Python whose backward "
        "is quadratic in the length (the slice of every step writes a gradient of the whole "
        "tensor): it is there to be correct, not fast. With `use_mambapy=True` it calls mamba.py's "
        "parallel scan.",
        rows=[
            beside(what, default, seconds[ours], seconds[default], at_least=100),
            beside(what, by_mambapy, seconds[ours], seconds[by_mambapy], at_least=5),
        ],
    )
