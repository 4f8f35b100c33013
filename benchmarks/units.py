"""A benchmark in units: each is one file, made once, so that what was stopped goes on."""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from multiprocessing import get_context, parent_process
from typing import Any

from performance.environment import processor


class Folder:
    """Results of units, one file each.

    `settings` are those of all units, or a function that returns what a unit's result depends on;
    `kept`, a `kept.Kept`, has results of units that are not in the folder.
    """

    def __init__(self, path, settings, kept=None):
        self.path, self._settings, self._kept = path, settings, kept

    def settings(self, unit):
        """Return the settings of a unit as they come back from a file."""
        settings = self._settings(unit) if callable(self._settings) else self._settings
        return json.loads(json.dumps(settings))

    def read(self, unit):
        return self.line(unit).get("result")

    def line(self, unit):
        """Return all that is stored of a unit, its result and processor; {} if nothing is."""
        file, settings = self.path / f"{unit.name}.json", self.settings(unit)
        if file.is_file():
            stored = json.loads(file.read_text())
            if stored["settings"] == settings:
                return stored
        return (self._kept and self._kept.read(unit.name, settings)) or {}

    def keep(self, units):
        """Write the results of these units to the file of those that are kept."""
        lines = [
            {**self.line(unit), "unit": unit.name, "settings": self.settings(unit)}
            for unit in units
        ]
        self._kept.write(lines)

    def last_day(self, units):
        """Return the day of the newest result of some units; empty if there is none."""
        files = [self.path / f"{unit.name}.json" for unit in units]
        times = [file.stat().st_mtime for file in files if file.is_file()]
        return time.strftime("%Y-%m-%d", time.gmtime(max(times))) if times else ""

    def write(self, unit, result):
        self.path.mkdir(parents=True, exist_ok=True)
        file = self.path / f"{unit.name}.json"
        aside = file.with_suffix(f".{os.getpid()}.part")
        with aside.open("w") as stream:
            stored = {"settings": self.settings(unit), "processor": processor(), "result": result}
            json.dump(stored, stream, indent=1)
            stream.flush()
            os.fsync(stream.fileno())
        aside.replace(file)


@dataclass(frozen=True, kw_only=True)
class Work:
    """What units are carried out by.

    Args:
        sizes: How large they are.
        carry_out: From a unit, the sizes and a function that returns an earlier unit's result to
            the unit's own, JSON values.
        needs: From a unit and the sizes to the units whose results it reads.
        say: From a result to a few words.
    """

    sizes: Any
    carry_out: Callable
    needs: Callable
    say: Callable


def independent(unit, sizes):
    """Return the units whose results a unit reads: none. For `Work.needs`."""
    return ()


def chosen(text, known, noun):
    """Return the names in a text with commas, all where there is none."""
    names = known if text is None else tuple(text.split(","))
    for name in names:
        if name not in known:
            print(f"no {noun} {name!r}. Try one of {', '.join(known)}", file=sys.stderr)
            raise SystemExit(2)
    return names


def run(units, folder, work, *, limit=None, jobs=1):
    """Carry units out, `jobs` at a time, and store each; return whether all are done.

    Args:
        units: In an order in which each finds what it needs.
        folder: Where results are.
        work: How one is carried out.
        limit: Start none after so many seconds.
        jobs: Processes; 1 works in this one.
    """
    begun = time.perf_counter()
    left = [unit for unit in units if folder.read(unit) is None]
    print(f"{len(units) - len(left)} of {len(units)} units are there", flush=True)

    def late():
        return limit is not None and time.perf_counter() - begun > limit

    done = (
        _alone(left, folder, work, late) if jobs == 1 else _shared(left, folder, work, late, jobs)
    )
    number = 0
    for number, (unit, result, seconds) in enumerate(done, start=1):
        print(
            f"[{number}/{len(left)}] {unit.name}: {work.say(result)}, {seconds:.1f} s", flush=True
        )
    if number < len(left):
        print(f"stopped after {limit:g} s; the same command goes on")
    return number == len(left)


def _alone(left, folder, work, late):
    for unit in left:
        if late():
            return
        yield unit, *carried_out(unit, folder, work)


def _shared(left, folder, work, late, jobs):
    """Yield units with their results as they end, started in order until it is late."""
    waiting, running = list(left), {}
    spawn = get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=_end_with_parent) as pool:
        while running or (waiting and not late()):
            pending = {*waiting, *running.values()}
            for unit in list(waiting):
                if len(running) == jobs or late():
                    break
                if not pending.intersection(work.needs(unit, work.sizes)):
                    waiting.remove(unit)
                    running[pool.submit(carried_out, unit, folder, work)] = unit
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), *future.result()


def _end_with_parent():
    """Let a worker end when the script was killed, and not wait for work for ever."""

    def wait_and_end():
        parent_process().join()
        os._exit(1)

    threading.Thread(target=wait_and_end, daemon=True).start()


def carried_out(unit, folder, work):
    """Carry one unit out, store it, and return its result and how long it took."""

    def found(other):
        result = folder.read(other)
        if result is None:
            raise SystemExit(f"{other.name} is missing: run it first")
        return result

    begun = time.perf_counter()
    result = work.carry_out(unit, work.sizes, found)
    folder.write(unit, result)
    return result, time.perf_counter() - begun


def fewer(task, n_train, n_test):
    """Return a task with at most so many cases; scaling is of all its cases."""
    import numpy as np

    from timegrain.data.per_sample import existing_answers
    from timegrain.data.tasks import trivial_score

    train, test = _some(task.train, n_train), _some(task.test, n_test)
    kind = None if task.n_classes else np.float64
    answers = [np.asarray(part.y, dtype=kind) for part in (train, test)]
    if task.n_classes and answers[0].ndim == 2:  # an answer a sample
        parts = zip(answers, (train, test), strict=True)
        answers = [existing_answers(y, np.asarray(part.lengths)) for y, part in parts]
    trivial = trivial_score(*answers, classes=task.n_classes is not None)
    return replace(task, train=train, test=test, trivial_score=trivial)


def _some(part, count):
    import numpy as np

    if count is None or len(part) <= count:
        return part
    return part.take(np.sort(np.random.default_rng(0).permutation(len(part))[:count]))


def versions():
    """Return what the page says it was run with."""
    import platform

    import numpy
    import torch

    import timegrain

    return {
        "timegrain": timegrain.__version__,
        "torch": torch.__version__.split("+")[0],
        "numpy": numpy.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
