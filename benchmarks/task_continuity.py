"""Time the sums behind D(k) against AntroPy's Higuchi dimension and a plain copy, in one run.

    python benchmarks/task_continuity.py [--rounds 15] [--samples 4000000] [--strict]
    python benchmarks/task_continuity.py --stream 1000000000

Each round runs every contender once, one after the other, on the same samples; a ratio is formed
within a round, and the median over rounds is printed with its smallest and largest value. "Sums" is
`kernels.discontinuity.profile_sums`: everything `task_continuity` computes from all samples for its
six strides, ranges and variance included. What follows from the sums does not depend on the length,
and is timed once as `task_continuity`. Results on one core and on two are compared to the last bit
before anything is timed. `--strict` exits with 1 where a target is missed.

`--stream N` sends N generated samples through a `ContinuityAccumulator`, one chunk of a million at
a time, and prints its speed and the peak of the process' memory at every tenth of the way.

As in benchmarks/run.py, which measures the same beside everything else, the script sets glibc's
MALLOC variables and starts itself again, so that page faults are not what is measured. `--as-is`
keeps the environment as it is.
"""

import argparse
import statistics
import sys
import time

from performance.rounds import time_rounds
from process import MALLOC, start_again

TARGETS = (
    ("one core", "higuchi_fd", 4.0),
    ("two cores", "higuchi_fd", 8.0),
    ("two cores", "x.copy()", 1 / 4),
)
CHUNK = 1_000_000


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--samples", type=int, default=4_000_000)
    parser.add_argument("--stream", type=int, help="send so many samples through an accumulator")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a target is missed")
    parser.add_argument("--as-is", action="store_true", help="do not set the MALLOC variables")
    return parser.parse_args()


def import_higuchi():
    try:
        from antropy import higuchi_fd
    except ImportError as error:
        print(
            f"AntroPy is not installed ({error}).\n"
            "Try: pip install --no-deps -r benchmarks/requirements.txt",
            file=sys.stderr,
        )
        raise SystemExit(2) from error
    return higuchi_fd


def contenders(x):
    import numpy as np
    import torch

    from timegrain.kernels.discontinuity import Pieces, profile_sums

    higuchi = import_higuchi()
    strides = np.array([2, 4, 8, 16, 32, 64])
    samples, pieces = x[:, None], Pieces.whole([len(x)])

    def on(threads):
        def run():
            torch.set_num_threads(threads)
            return profile_sums(samples, pieces, strides)

        return run

    return {
        "one core": on(1),
        "two cores": on(2),
        "higuchi_fd": lambda: higuchi(x),
        "x.copy()": lambda: x.copy(),
    }


def check_same(one, two):
    import dataclasses

    import numpy as np

    for field in dataclasses.fields(one):
        if not np.array_equal(getattr(one, field.name), getattr(two, field.name)):
            raise SystemExit(f"one core and two differ in {field.name}")
    print("one core and two give the same sums to the last bit")


def spread(numerators, denominators):
    ratios = [a / b for a, b in zip(numerators, denominators, strict=True)]
    return statistics.median(ratios), min(ratios), max(ratios)


def report(seconds, samples):
    print("median ns a sample, and millions of samples a second:")
    for name, values in seconds.items():
        median = statistics.median(values) / samples
        print(f"  {name:12s} {1e9 * median:7.2f} ns   {1e-6 / median:8.1f} M/s")
    print("speed as a multiple of the other's: median over rounds (smallest-largest)")
    missed = False
    for name in ("one core", "two cores"):
        for other in ("higuchi_fd", "x.copy()"):
            median, low, high = spread(seconds[other], seconds[name])
            target = next((t for n, o, t in TARGETS if (n, o) == (name, other)), None)
            word = "" if target is None else f"   target {target:g}"
            if target is not None and median < target:
                word, missed = word + ": MISSED", True
            print(f"  {name:9s} / {other:10s} {median:6.2f} ({low:.2f}-{high:.2f}){word}")
    return missed


def time_whole(x):
    from timegrain import task_continuity

    task_continuity(x[:10_000])
    start = time.perf_counter()
    task_continuity(x)
    seconds = time.perf_counter() - start
    print(f"task_continuity(x), once: {seconds:.2f} s = {1e9 * seconds / len(x):.1f} ns a sample")


def stream(total):
    import resource

    import numpy as np

    from timegrain import ContinuityAccumulator

    accumulator, rng = ContinuityAccumulator(), np.random.default_rng(0)
    last, taken, done, started = 0.0, 0.0, 0, time.perf_counter()
    while done < total:
        chunk = np.cumsum(rng.standard_normal(min(CHUNK, total - done))) + last
        last = chunk[-1]
        start = time.perf_counter()
        accumulator.update(chunk)
        taken += time.perf_counter() - start
        before, done = done, done + len(chunk)
        if done * 10 // total > before * 10 // total:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            state = len(accumulator.to_json()) / 1024
            cost = f"state {state:.0f} KiB   {1e9 * taken / done:.2f} ns a sample"
            print(f"  {done:14,} samples   peak {peak:6.1f} MiB   {cost}", flush=True)
    print(f"{time.perf_counter() - started:.0f} s, {taken:.1f} s of them in the accumulator")
    print(accumulator.result())


def main():
    arguments = parse()
    if arguments.stream:
        stream(arguments.stream)
        return
    if not arguments.as_is:
        start_again(MALLOC)
    import_higuchi()
    import numpy as np

    x = np.cumsum(np.random.default_rng(0).standard_normal(arguments.samples))
    functions = contenders(x)
    print(f"{len(x):,} samples, float64, strides 2 to 64; AntroPy with its kmax of 10")
    check_same(functions["one core"](), functions["two cores"]())
    missed = report(time_rounds(functions, arguments.rounds), len(x))
    time_whole(x)
    if missed and arguments.strict:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
