"""Peak memory of a forward and backward, each in a process of its own with malloc's defaults."""

import argparse
import sys
from pathlib import Path

from performance.environment import resident
from performance.rounds import Section, training, within
from performance.selective import COMPARED, CONTENDERS, inputs
from process import last_line

LONG = (1, 1_000_000, 16, 16)


def measure(settings):
    section = Section(
        title="Memory",
        text="Peak in forward and backward, above what was resident before; of a million samples "
        "that of the whole process, interpreter, torch and inputs included. Each in a process of "
        "its own with malloc's defaults.",
    )
    if not sys.platform.startswith("linux"):
        section.notes.append("Measured on Linux only.")
        return section
    small, long = ((1, 64, 8, 4), (1, 1000, 4, 4)) if settings.quick else (COMPARED, LONG)
    ours = _extra("timegrain", small)
    for name in ("mamba.py pscan", "plain loop"):
        theirs = _extra(name, small)
        what = "{}, b={} l={} d={} n={}".format(name, *small)
        section.rows.append(within(what, [theirs], "MiB"))
        if name == "mamba.py pscan":
            share = 100 * ours / theirs
            section.rows.append(within("timegrain's share of that", [share], "%", high=10))
    section.rows.insert(0, within("timegrain, b={} l={} d={} n={}".format(*small), [ours], "MiB"))
    whole = _extra("timegrain", long, "--whole")
    what = "timegrain, whole process, b={} l={:,} d={} n={}".format(*long)
    section.rows.append(within(what, [whole], "MiB", high=1907))  # 2 GB
    return section


def _extra(name, shape, *flags):
    return float(last_line("performance.memory", name, *shape, *flags))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=CONTENDERS)
    parser.add_argument("shape", type=int, nargs=4)
    parser.add_argument(
        "--whole", action="store_true", help="peak of the process, nothing taken off"
    )
    arguments = parser.parse_args()
    function = CONTENDERS[arguments.name]

    def run(shape):
        tensors, upstream = inputs(shape)
        return training(lambda: function(*tensors), tensors, upstream)

    run((1, 64, 16, 16))()
    once = run(tuple(arguments.shape))
    before = 0.0 if arguments.whole else resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    once()
    print(f"{resident('VmHWM') - before:.1f}")


if __name__ == "__main__":
    main()
