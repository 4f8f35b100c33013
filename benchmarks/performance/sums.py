"""The sums behind D(k), as `benchmarks/task_continuity.py` measures them."""

import numpy as np
import torch

import task_continuity
from performance.rounds import Section, beside, time_rounds


def measure(settings):
    samples = 20_000 if settings.quick else 4_000_000
    x = np.cumsum(np.random.default_rng(0).standard_normal(samples))
    before = torch.get_num_threads()
    functions = task_continuity.contenders(x)
    task_continuity.check_same(functions["one core"](), functions["two cores"]())
    seconds = time_rounds(functions, settings.rounds)
    torch.set_num_threads(before)
    section = Section(
        title="Sums of task continuity",
        text=f"Everything that `task_continuity` computes from {samples:,} samples for six "
        "strides, against AntroPy's Higuchi dimension (kmax 10) and a plain copy of the samples.",
    )
    for name, other, goal in task_continuity.TARGETS:
        section.rows.append(
            beside(f"sums on {name}", other, seconds[name], seconds[other], at_least=goal)
        )
    return section
