"""The matrix scan against its plain loop and its chunked form in torch, and growth with length."""

import torch

from performance.rounds import Section, beside, compare, gradients, time_rounds, training, within
from timegrain.kernels import matrix_scan

SHAPE = (4, 2048, 4, 32)
LAYERS = {
    "linear attention": (None, False),
    "SSD": ("head", False),
    "GLA": ("channel", False),
    "DeltaNet": (None, True),
    "Gated DeltaNet": ("head", True),
}
BACKENDS = {"timegrain": "auto", "chunks in torch": "torch", "plain loop": "reference"}
GROWTH = (7, 10)  # from 1,024 to 8,192 samples


def inputs(shape, layer):
    """q, k of unit length, v, and options; an upstream gradient."""
    b, length, heads, _ = shape
    gate, delta = LAYERS[layer]
    generator = torch.Generator().manual_seed(0)

    def normal(*size):
        return torch.randn(*size, generator=generator)

    unit = torch.nn.functional.normalize(normal(*shape), dim=-1)
    tensors, options = [normal(*shape), unit, normal(*shape)], {}
    if gate is not None:
        size = (b, length, heads) if gate == "head" else shape
        options["log_gate"] = -torch.nn.functional.softplus(normal(*size) - 3)
    if delta:
        options["beta"] = normal(b, length, heads).sigmoid()
    leaves = [t.requires_grad_() for t in (*tensors, *options.values())]
    return leaves, list(options), normal(*shape)


def call(leaves, names, backend):
    """Return a function of nothing: one scan."""
    options = dict(zip(names, leaves[3:], strict=True))
    return lambda: matrix_scan(*leaves[:3], **options, backend=backend)


def measure(settings):
    section = Section(
        title="Matrix states",
        text="`kernels.matrix_scan`, forward and backward, for the gates of five layers: compiled "
        "loops against chunks whose products are those of matrices in torch, both against a loop "
        "over time in torch.",
    )
    shape = (1, 64, 2, 8) if settings.quick else SHAPE
    for layer in LAYERS:
        leaves, names, upstream = inputs(shape, layer)
        calls = {name: call(leaves, names, backend) for name, backend in BACKENDS.items()}
        _check(calls, leaves, names, upstream)
        runs = {name: training(f, leaves, upstream) for name, f in calls.items()}
        seconds = time_rounds(runs, settings.rounds, every={"plain loop": 3})
        what = "{}, b={} l={} heads={} keys=values={}".format(layer, *shape)
        for name in list(BACKENDS)[1:]:
            goal = 5 if name == "plain loop" and not settings.quick else None
            row = beside(what, name, seconds["timegrain"], seconds[name], at_least=goal)
            section.rows.append(row)
        chunks, loop = list(BACKENDS)[1:]
        row = beside(f"{what}, {chunks}", loop, seconds[chunks], seconds[loop], at_least=goal)
        section.rows.append(row)
    _growth(section, settings)
    return section


def _growth(section, settings):
    """Add the time at eight times the length over the time, within rounds."""
    b, length, heads, width = (1, 32, 2, 8) if settings.quick else (4, 1024, 4, 32)
    for layer in LAYERS:
        runs = {}
        for factor in (1, 8):
            leaves, names, upstream = inputs((b, factor * length, heads, width), layer)
            runs[factor] = training(call(leaves, names, "auto"), leaves, upstream)
        seconds = time_rounds(runs, settings.rounds)
        ratios = [longer / shorter for shorter, longer in zip(*seconds.values(), strict=True)]
        low, high = (None, None) if settings.quick else GROWTH
        what = f"{layer}, time at l={8 * length} over that at l={length}"
        section.rows.append(within(what, ratios, "x", low=low, high=high))


def _check(calls, leaves, names, upstream):
    """Values and gradients agree to length * eps of their largest value."""
    found = {name: gradients(f, leaves, upstream) for name, f in calls.items()}
    bound = leaves[0].shape[1] * torch.finfo(leaves[0].dtype).eps
    for name in list(BACKENDS)[1:]:
        arguments = ("y", "q", "k", "v", *names)
        compare(found["timegrain"], found[name], bound, [f"{name}: {n}" for n in arguments])
