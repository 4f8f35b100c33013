"""Minor page faults of a training step, with the memory kept and with malloc's defaults."""

import json
import resource
import sys

from performance.rounds import Section, within
from performance.step import LAYERS, Step
from process import last_line

WARM, COUNTED = 10, 30
MOST = 20  # "near zero": a few for threads and closures, where a step's tensors have thousands


def faults(layer, warm=WARM, counted=COUNTED):
    """Return the minor page faults of each counted step."""
    step = Step(layer)
    for _ in range(warm):
        step()
    found = []
    for _ in range(counted):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        step()
        found.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    return found


def measure(settings):
    warm, counted = (2, 2) if settings.quick else (WARM, COUNTED)
    section = Section(
        title="Page faults of a training step",
        text="Minor faults a step after warm-up: two layers of 64, batches of 16, 427 samples, "
        "AdamW. With glibc told to keep its memory, as `make bench` and `make demo` do, and with "
        "its defaults, where torch's own temporaries are given back and taken again at each step.",
    )
    for layer in LAYERS:
        kept = faults(layer, warm, counted)
        section.rows.append(within(f"{layer}, memory kept", kept, "faults", high=MOST))
        plain = json.loads(last_line("performance.faults", layer, warm, counted))
        section.rows.append(within(f"{layer}, malloc's defaults", plain, "faults"))
    return section


if __name__ == "__main__":
    print(json.dumps(faults(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
