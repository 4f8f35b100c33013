"""Measure what a ladder costs beside one forward of its finest batch, and write the page.

    python benchmarks/ladder.py [--rounds 15] [--models s4d,s6] [--quick] [--page FILE]

Of every registered layer, at the defaults of `model_continuity` and at one and five amplitudes:
both take turns in one process and one thread, and ratios are formed within a round, of processor
time. Peak memory is measured in a process of its own each, with malloc's defaults.
`docs/results/ladder-cost.md` is written by a whole run only; else give --page.
"""

import argparse
import statistics
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

from ladder_table import page_of
from performance.environment import machine, resident
from process import MALLOC, ONE_THREAD, last_line, start_again

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results" / "ladder-cost.md"
MODELS = ("s4", "s4d", "s5", "s6", "mamba", "gru", "tcn", "transformer")
AMPLITUDES = ((1.0,), (0.1, 0.3, 1.0, 3.0, 10.0))
PARTS = {
    "twins": ("twin_batch",),
    "compared": ("_response", "at_working_times"),
    "norms": ("converge", "response_memory"),
}  # functions that a ladder calls, besides the layer
SIZES = {"levels": 6, "length": 64, "d_model": 64}
QUICK = {"levels": 3, "length": 32, "d_model": 16}


class Pair:
    """One pair of a layer and a signal, ready to be measured.

    Args:
        name: Registered layer.
        amplitudes: Factors of the signal.
        sizes: Of the ladder.
    """

    def __init__(self, name, amplitudes, sizes):
        import torch

        from timegrain.continuity.model import ladder
        from timegrain.continuity.model.options import ModelOptions
        from timegrain.continuity.model.plan import plan

        torch.set_num_threads(1)
        shared = {"dt": 1.0, "refine": "exact", "protocol": "rescale", "norm": "sup"}
        fixed = {"scope": "layer", "d_input": None, "seeds": 1, "seed": 0, "options": {}}
        measurement = plan(
            name,
            ModelOptions(named=True, amplitudes=amplitudes, **shared, **fixed, **sizes),
        )
        self.subject, self.inputs = measurement.first, measurement.inputs
        self.amplitudes, self.module = amplitudes, ladder
        self.drawn = 0

    def ladder(self):
        """All levels of both twins, with differences, norms, orders and memory."""
        return self.module.climb(
            self.subject,
            self.inputs,
            pair=0,
            amplitudes=self.amplitudes,
            rescale=self.subject.told,
            norm="sup",
        )

    def batches(self):
        """Return the inputs of all levels."""
        import numpy as np
        import torch

        from timegrain.kernels.twins.batch import twin_batch

        scales = np.array(self.amplitudes)
        found = []
        for level in range(self.inputs.levels + 1):
            values, added = self.inputs.values(0, level), self.inputs.added(0, level)
            found.append(torch.from_numpy(twin_batch(values, *added, scales)))
        return found

    def run(self, batch, level):
        import torch

        with torch.inference_mode():
            self.subject.layer(batch, 2.0**-level)

    def draw(self):
        self.drawn += 1
        self.inputs.values(self.drawn, self.inputs.levels)


def measure(name, amplitudes, sizes, rounds):
    """Return seconds of every contender by round, and those of a ladder's parts."""
    pair = Pair(name, amplitudes, sizes)
    batches = pair.batches()
    last = len(batches) - 1
    runs = {
        "ladder": pair.ladder,
        "forward": lambda: pair.run(batches[last], last),
        "levels": lambda: [pair.run(batch, level) for level, batch in enumerate(batches)],
        "draw": pair.draw,
    }
    for run in runs.values():
        run()
    seconds = {key: [] for key in runs}
    for _ in range(rounds):
        for key, run in runs.items():
            seconds[key].append(timed(run))
    return {"seconds": seconds, "parts": parts(pair, rounds)}


def timed(run):
    start = time.process_time()
    run()
    return time.process_time() - start


def parts(pair, rounds):
    """Return seconds of a ladder and of what it calls, medians over rounds."""
    spent = {}

    def timing(key, function):
        def run(*args, **options):
            start = time.process_time()
            try:
                return function(*args, **options)
            finally:
                spent[key] = spent.get(key, 0.0) + time.process_time() - start

        return run

    layer, found = pair.subject.layer, []
    with ExitStack() as stack:
        stack.enter_context(patch.object(layer, "forward", timing("levels", layer.forward)))
        for key, names in PARTS.items():
            for name in names:
                function = timing(key, getattr(pair.module, name))
                stack.enter_context(patch.object(pair.module, name, function))
        for _ in range(rounds):
            spent.clear()
            whole = timed(pair.ladder)
            found.append({**spent, "rest": whole - sum(spent.values())})
    return {key: statistics.median(one[key] for one in found) for key in found[0]}


def peak(name, amplitudes, sizes, kind):
    """Return how far a ladder, or one forward of its finest batch, raises the memory, in MB."""
    pair = Pair(name, amplitudes, sizes)
    batch = pair.batches()[-1]
    last = pair.inputs.levels
    run = pair.ladder if kind == "ladder" else lambda: pair.run(batch, last)
    small = Pair(name, (1.0,), QUICK)
    small.ladder()  # what is loaded on the first call
    if kind == "ladder":
        del batch
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    run()
    return (resident("VmHWM") - before) * 2**20 / 1e6


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--quick", action="store_true", help="tiny sizes: a test that it runs")
    parser.add_argument("--page", type=Path, help="where the page is written")
    chosen = parser.parse_args(arguments)
    chosen.models = chosen.models.split(",")
    chosen.sizes = QUICK if chosen.quick else SIZES
    whole = not chosen.quick and tuple(chosen.models) == MODELS
    if chosen.page is None and not whole:
        parser.error("the page is of a whole run; give --page FILE")
    return chosen


def rows(chosen):
    for name in chosen.models:
        for amplitudes in AMPLITUDES:
            row = measure(name, amplitudes, chosen.sizes, chosen.rounds)
            word = ",".join(map(str, amplitudes))
            row["peak"] = {
                kind: float(last_line("ladder_peak", name, word, kind, int(chosen.quick)))
                for kind in ("ladder", "forward")
                if sys.platform.startswith("linux")
            }
            print(f"{name}, {len(amplitudes)} amplitudes: done", file=sys.stderr, flush=True)
            yield {"model": name, "amplitudes": len(amplitudes), **row}


def main():
    chosen = parse()
    start_again({**MALLOC, **ONE_THREAD})
    page = chosen.page or PAGE
    text = page_of(list(rows(chosen)), chosen.sizes, machine(), chosen.rounds)
    print(text)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
