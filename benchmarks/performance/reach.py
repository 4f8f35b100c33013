"""How much of what the processor can do at most the selective scan reaches."""

import torch

from performance import limits
from performance.rounds import Section, time_rounds, training, within
from performance.selective import COMPARED, inputs
from timegrain.kernels import selective_scan

# vector instructions for 16 state updates, as counted in kernels/selective/numba_.py
FORWARD, BACKWARD = 13.1, 22.7


def measure(settings):
    section = Section(
        title="Reach of the selective scan",
        text="The share of the issue rate is the number of vector instructions that the loops "
        f"need, counted in their assembly ({FORWARD} forward and {BACKWARD} backward for 16 state "
        "updates, recomputation included; see `timegrain/kernels/selective/numba_.py`), over the "
        "number of fused products and sums that all threads issue in the same time in a loop that "
        "does nothing else, in its best round. Time spent outside the loops, in Python and in "
        "torch, counts against it. The backward's time is that of both directions less that of a "
        "forward that keeps "
        "checkpoints. The share of the copy bandwidth counts every array once.",
    )
    before = torch.get_num_threads()
    shape = (1, 64, 16, 16) if settings.quick else COMPARED
    for threads in sorted({1, before}):
        torch.set_num_threads(threads)
        _reach(section, shape, threads, settings)
    torch.set_num_threads(before)
    return section


def _reach(section, shape, threads, settings):
    tensors, upstream = inputs(shape)
    label = f"{threads} thread" + "s" * (threads > 1)

    def untracked():
        with torch.no_grad():
            selective_scan(*tensors)

    runs = {
        "forward": untracked,
        "kept": lambda: selective_scan(*tensors),
        "both": training(lambda: selective_scan(*tensors), tensors, upstream),
    }
    most = limits.measured(threads, settings)
    seconds = time_rounds(runs, settings.rounds)
    pairs = zip(seconds["both"], seconds["kept"], strict=True)
    seconds["backward"] = [both - kept for both, kept in pairs]
    b, length, d, n = shape
    # float32: u, delta, B, C in and y out; then the same and y's gradient in, four gradients out,
    # and a checkpoint of the states every 16 steps
    moved = {"forward": 3 * d + 2 * n, "backward": 5 * d + 4 * n + d * n / 16}
    section.rows += [
        within(f"fused products and sums, {label}", [r / 1e9 for r in most["rates"]], "vectors/ns"),
        within(f"copy, read and written, {label}", [c / 1e9 for c in most["copies"]], "GB/s"),
    ]
    for name, count in (("forward", FORWARD), ("backward", BACKWARD)):
        issued = [count * b * length * d * n / 16 / s / most["rate"] for s in seconds[name]]
        copied = [4 * moved[name] * b * length / s / most["copy"] for s in seconds[name]]
        section.rows += [
            within(f"{name}: share of the issue rate, {label}", _percent(issued), "%", low=35),
            within(f"{name}: share of the copy bandwidth, {label}", _percent(copied), "%"),
        ]


def _percent(shares):
    return [100 * share for share in shares]
