"""Train with and without subsampling, on nine tasks and three layers, and say what it saves.

    python benchmarks/subsampling.py --preset quick
    python benchmarks/subsampling.py --preset full
    python benchmarks/subsampling.py --preset quick --table

Arms: full resolution with a learning rate of its own, the plan of `subsampling_plan`, the same plan
with a third of the samples, two equal stages, and warm-up of the sequence length. See the page it
writes, docs/results/subsampling.md, for what they are; benchmarks/subsampling_presets.py for sizes.

Each unit (a plan, a rate, a training) is one JSON file, which appears when it is complete: a run
that was stopped goes on where it was. `--limit` stops after so many seconds; `--table` only prints
what is there. The page is written when the last unit is done. On two quiet cores the units
of `quick` took 28 minutes.

Two units run at a time, each in one thread: on so small a network two threads gain little, and the
time of a unit is then hardly the other's affair. As benchmarks/run.py does, the script sets glibc's
MALLOC variables and starts itself again, so that page faults are not what is measured. `--as-is`
keeps the environment as it is.
"""

import argparse
import json
import os
import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from multiprocessing import get_context, parent_process
from pathlib import Path

SETTINGS = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "100000000000",
    "MALLOC_TOP_PAD_": "268435456",
    "OMP_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "results" / "subsampling.md"


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--preset", choices=("quick", "full"), default="quick")
    parser.add_argument("--tasks", help="only these, with commas between")
    parser.add_argument("--models", help="only these, with commas between")
    parser.add_argument("--limit", type=float, help="start no unit after so many seconds")
    parser.add_argument("--output", type=Path, help="where units are kept")
    parser.add_argument("--page", type=Path, default=PAGE, help="what is written at the end")
    parser.add_argument("--table", action="store_true", help="only print what is there")
    parser.add_argument("--jobs", type=int, default=2, help="units at a time, each in one thread")
    parser.add_argument("--as-is", action="store_true", help="keep the environment as it is")
    return parser.parse_args()


def start_again(arguments):
    if arguments.as_is or arguments.table or all(os.environ.get(k) for k in SETTINGS):
        return
    print("starting again with", " ".join(f"{k}={v}" for k, v in SETTINGS.items()), flush=True)
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **SETTINGS})


def chosen(text, known, noun):
    names = known if text is None else tuple(text.split(","))
    for name in names:
        if name not in known:
            print(f"no {noun} {name!r}. Try one of {', '.join(known)}", file=sys.stderr)
            raise SystemExit(2)
    return names


class Folder:
    """Results of units, one file each.

    `settings` are those of all units, or a function that returns what a unit's result depends on.
    """

    def __init__(self, path, settings):
        self.path, self._settings = path, settings

    def settings(self, unit):
        """Return the settings of a unit as they come back from a file."""
        settings = self._settings(unit) if callable(self._settings) else self._settings
        return json.loads(json.dumps(settings))

    def read(self, unit):
        file = self.path / f"{unit.name}.json"
        if not file.is_file():
            return None
        stored = json.loads(file.read_text())
        return stored["result"] if stored["settings"] == self.settings(unit) else None

    def write(self, unit, result):
        self.path.mkdir(parents=True, exist_ok=True)
        file = self.path / f"{unit.name}.json"
        aside = file.with_suffix(f".{os.getpid()}.part")
        with aside.open("w") as stream:
            json.dump({"settings": self.settings(unit), "result": result}, stream, indent=1)
            stream.flush()
            os.fsync(stream.fileno())
        aside.replace(file)


def run(units, folder, preset, limit, jobs=1):
    started = time.perf_counter()
    left = [unit for unit in units if folder.read(unit) is None]
    print(f"{len(units) - len(left)} of {len(units)} units are there", flush=True)

    def late():
        return limit is not None and time.perf_counter() - started > limit

    done = carried_out(left, folder, preset, late, jobs)
    number = 0
    for number, (unit, result, seconds) in enumerate(done, start=1):
        print(f"[{number}/{len(left)}] {unit.name}: {outcome(result)}, {seconds:.1f} s", flush=True)
    if number < len(left):
        print(f"stopped after {limit:g} s; the same command goes on")
    return number == len(left)


def carried_out(left, folder, preset, late, jobs):
    """Yield units with their results as they end, started in order until it is late."""
    if jobs == 1:
        for unit in left:
            if late():
                return
            yield unit, *work(unit, folder, preset)
        return
    from subsampling_units import needs

    waiting, running = list(left), {}
    spawn = get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=end_with_parent) as pool:
        while running or (waiting and not late()):
            pending = {*waiting, *running.values()}
            for unit in list(waiting):
                if len(running) == jobs or late():
                    break
                if not pending.intersection(needs(unit, preset)):
                    waiting.remove(unit)
                    running[pool.submit(work, unit, folder, preset)] = unit
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), *future.result()


def end_with_parent():
    """Let a worker end when the script was killed, and not wait for work for ever."""

    def wait_and_end():
        parent_process().join()
        os._exit(1)

    threading.Thread(target=wait_and_end, daemon=True).start()


def work(unit, folder, preset):
    """Carry one unit out, store it, and return its result and how long it took."""
    from subsampling_units import carry_out

    def found(other):
        result = folder.read(other)
        if result is None:
            raise SystemExit(f"{other.name} is missing: run it first")
        return result

    begun = time.perf_counter()
    result = carry_out(unit, preset, found)
    folder.write(unit, result)
    return result, time.perf_counter() - begun


def outcome(result):
    if "diverged" in result:
        return "diverged"
    if result.get("declined"):
        return f"declines, {result['score']:.3f}"
    if "score" in result:
        return f"{result['stages']}: {result['score']:.3f} after {result['seconds']:.1f} s"
    if "shares" in result:
        pairs = zip(result["strides"], result["shares"], strict=True)
        return "an epoch costs " + ", ".join(f"{share:.2f} at {k}" for k, share in pairs)
    return f"plan {result['text']}" if "text" in result else f"rate {result['lr']:g}"


def main():
    arguments = parse()
    start_again(arguments)
    from subsampling_presets import MODELS, PRESETS, TASKS

    preset = PRESETS[arguments.preset]
    tasks = chosen(arguments.tasks, TASKS, "task")
    models = chosen(arguments.models, MODELS, "model")
    from subsampling_table import page
    from subsampling_units import units_of, versions

    units = units_of(preset, tasks, models)
    output = arguments.output or ROOT / ".cache" / f"subsampling-{preset.name}"
    folder = Folder(output, preset.settings_of)
    complete = (
        False if arguments.table else run(units, folder, preset, arguments.limit, arguments.jobs)
    )
    done = {unit: result for unit in units if (result := folder.read(unit)) is not None}
    text = page(preset, done, tasks, models, versions(), len(units))
    print(text)
    if complete and (tasks, models) == (TASKS, MODELS):
        arguments.page.parent.mkdir(parents=True, exist_ok=True)
        arguments.page.write_text(text)
        print(f"written: {os.path.relpath(arguments.page)}", file=sys.stderr)


if __name__ == "__main__":
    main()
