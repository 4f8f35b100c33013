"""Minor page faults of a training step, with the memory kept and with malloc's defaults."""

import json
import resource
import subprocess
import sys
from pathlib import Path

from performance.environment import plain_environment
from performance.rounds import Section, within
from performance.step import LAYERS, Step

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
        section.rows.append(within(f"{layer}, malloc's defaults", _elsewhere(layer, warm, counted),
                                   "faults"))  # fmt: skip
    return section


def _elsewhere(layer, warm, counted):
    command = [sys.executable, "-m", "performance.faults", layer, str(warm), str(counted)]
    folder = Path(__file__).parent.parent
    done = subprocess.run(
        command, env=plain_environment(), cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    print(json.dumps(faults(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
