"""S5 against s5-pytorch, on the same weights."""

import torch
from s5 import S5 as PublishedS5

from performance.rounds import Section, beside, compare, gradients, time_rounds, training
from timegrain.models import build_layer

NAMES = ["x", "log_dt", "log_decay", "frequency", "B", "C", "D"]


def pair(d, modes):
    """Return our layer and theirs with equal weights and equally many complex modes.

    s5-pytorch keeps both modes of a conjugate pair, and so one for each state; ours keeps one for
    two states, and counts it twice. So that both do the same work on the same numbers, ours has
    twice the states, and half of their C.
    """
    theirs = PublishedS5(d, modes)
    ours = build_layer("s5", d_model=d, seed=0, n_state=2 * modes, n_blocks=1)
    inner = theirs.seq
    with torch.no_grad():
        # the eigenvalues that it computes have a real part of -1/2 but for rounding
        ours.log_decay.copy_((-inner.Lambda.real).log())
        ours.frequency.copy_(inner.Lambda.imag)
        ours.log_dt.copy_(inner.log_step.flatten())
        ours.B.copy_(inner.B)
        ours.C.copy_(torch.view_as_real(inner.C) / 2)
        ours.D.copy_(inner.D)
    return ours, theirs


def outcomes(ours, theirs, x, upstream):
    """Return the values of both and their gradients to what ours calls `NAMES`."""
    inner = theirs.seq
    mine = [ours.log_dt, ours.log_decay, ours.frequency, ours.B, ours.C, ours.D]
    same = [inner.log_step, inner.Lambda, inner.B, inner.C, inner.D]
    y, to_x, to_dt, to_poles, to_B, to_C, to_D = gradients(lambda: theirs(x), [x, *same], upstream)
    decay = to_poles.real * inner.Lambda.detach().real  # through the logarithm
    wanted = [y, to_x, to_dt.flatten(), decay, to_poles.imag, to_B]
    # half of their C is ours
    wanted += [2 * torch.view_as_real(to_C), to_D]
    return gradients(lambda: ours(x), [x, *mine], upstream), wanted


def measure(settings):
    b, length, d, modes = (1, 32, 4, 4) if settings.quick else (8, 1024, 64, 64)
    torch.manual_seed(0)
    ours, theirs = pair(d, modes)
    x, upstream = (torch.randn(b, length, d) for _ in range(2))
    x.requires_grad_()
    bound = 10 * length * torch.finfo(torch.float32).eps
    compare(*outcomes(ours, theirs, x, upstream), bound, ["y", *NAMES])
    runs = {
        name: training(lambda f=layer: f(x), [x, *layer.parameters()], upstream)
        for name, layer in (("timegrain", ours), ("s5-pytorch", theirs))
    }
    seconds = time_rounds(runs, settings.rounds)
    what = f"forward and backward, b={b} l={length} d={d}, {modes} complex modes"
    return Section(
        title="S5",
        text="The layer against s5-pytorch's, with its weights and as many complex modes. That is "
        "a translation of the authors' JAX code, whose associative scan is meant for accelerators.",
        rows=[beside(what, "s5-pytorch", *seconds.values(), at_least=3)],
    )
