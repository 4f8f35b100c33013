"""The process that is measured: its allocator and threads, and processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

MALLOC = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "100000000000",
    "MALLOC_TOP_PAD_": "268435456",
}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


def start_again(settings):
    """Start the script again with these variables, if one of them is not set yet.

    With `MALLOC` glibc keeps and reuses its memory: large temporaries make page faults dominate on
    small machines, and those are erratic.
    """
    if all(os.environ.get(name) for name in settings):
        return
    print("starting again with", " ".join(f"{k}={v}" for k, v in settings.items()), flush=True)
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **settings})


def last_line(module, *words):
    """Return the last line that a module prints, run alone with malloc's defaults."""
    plain = {name: value for name, value in os.environ.items() if name not in MALLOC}
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, words)],
        env=plain,
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout.splitlines()[-1]
