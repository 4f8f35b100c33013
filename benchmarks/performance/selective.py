"""The selective scan against mamba.py's parallel scan and a plain loop."""

import torch
from mambapy.pscan import pscan

from performance.rounds import Section, beside, compare, gradients, time_rounds, training
from timegrain.kernels import selective_scan

COMPARED = (8, 1024, 64, 16)
SHAPES = (COMPARED, (16, 427, 64, 16), (2, 4096, 64, 16), (8, 1024, 50, 16))


def by_pscan(u, delta, A, B, C):
    """As mamba.py uses its scan."""
    delta_A = torch.exp(delta.unsqueeze(-1) * A)
    delta_B = delta.unsqueeze(-1) * B.unsqueeze(2)
    states = pscan(delta_A, delta_B * u.unsqueeze(-1))
    return (states @ C.unsqueeze(-1)).squeeze(3)


def by_loop(u, delta, A, B, C):
    """One step after another, as one would write it."""
    decays = torch.exp(delta.unsqueeze(-1) * A)
    pushes = delta.unsqueeze(-1) * B.unsqueeze(2) * u.unsqueeze(-1)
    h, y = torch.zeros_like(decays[:, 0]), []
    for a, x, c in zip(decays.unbind(1), pushes.unbind(1), C.unbind(1), strict=True):
        h = a * h + x
        y.append((h @ c.unsqueeze(-1)).squeeze(-1))
    return torch.stack(y, 1)


CONTENDERS = {"timegrain": selective_scan, "mamba.py pscan": by_pscan, "plain loop": by_loop}


def inputs(shape):
    """Mamba's initialisation: A = -(1..n), delta log-uniform around .001 to .1."""
    b, length, d, n = shape
    generator = torch.Generator().manual_seed(0)

    def normal(*size):
        return torch.randn(*size, generator=generator)

    delta = torch.nn.functional.softplus(normal(b, length, d) - 4)
    A = -torch.arange(1.0, n + 1).repeat(d, 1)
    tensors = [normal(b, length, d), delta, A, normal(b, length, n), normal(b, length, n)]
    return [t.requires_grad_() for t in tensors], normal(b, length, d)


def measure(settings):
    section = Section(
        title="Selective scan",
        text="`kernels.selective_scan` against mamba.py's `pscan`, used as mamba.py uses it (build "
        "exp(delta A) and delta B u, scan, multiply by C), and against a loop over time in torch.",
    )
    most = torch.get_num_threads()
    if settings.quick:
        _one(section, (1, 64, 8, 4), most, settings)
        return section
    for shape in SHAPES:
        goals = {"forward": 10, "forward and backward": 8} if shape == COMPARED else {}
        _one(section, shape, most, settings, goals)
    if most > 1:
        _one(section, COMPARED, 1, settings)
    torch.set_num_threads(most)
    return section


def _one(section, shape, threads, settings, goals=None):
    torch.set_num_threads(threads)
    tensors, upstream = inputs(shape)
    _check(tensors, upstream)
    runs = {
        "forward": {name: _untracked(f, tensors) for name, f in CONTENDERS.items()},
        "forward and backward": {
            name: training(lambda f=f: f(*tensors), tensors, upstream)
            for name, f in CONTENDERS.items()
        },
    }
    for direction, contenders in runs.items():
        seconds = time_rounds(contenders, settings.rounds, every={"plain loop": 3})
        what = "{}, b={} l={} d={} n={}, {} thread{}".format(
            direction, *shape, threads, "s" * (threads > 1)
        )
        for name in list(CONTENDERS)[1:]:
            at_least = (goals or {}).get(direction) if name == "mamba.py pscan" else None
            row = beside(what, name, seconds["timegrain"], seconds[name], at_least=at_least)
            section.rows.append(row)


def _untracked(function, tensors):
    def run():
        with torch.no_grad():
            function(*tensors)

    return run


def _check(tensors, upstream):
    """Values and gradients agree to length * eps of their largest value."""
    results = {
        name: gradients(lambda f=f: f(*tensors), tensors, upstream)
        for name, f in CONTENDERS.items()
    }
    bound = tensors[0].shape[1] * torch.finfo(tensors[0].dtype).eps
    names = ("y", "u", "delta", "A", "B", "C")
    for name in list(CONTENDERS)[1:]:
        compare(results["timegrain"], results[name], bound, [f"{name}: {n}" for n in names])
