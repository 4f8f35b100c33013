"""Train every registered layer on three shipped sets, and say what it scores and costs.

    python benchmarks/models.py
    python benchmarks/models.py --limit 600
    python benchmarks/models.py --table

Three seeds each, a learning rate of its own, and the random-convolution baseline beside them; see
the table it writes into docs/models.md, between two marks, for what is measured, and
benchmarks/models_units.py for sizes.

As in benchmarks/subsampling.py each unit (a rate, a training, a baseline) is one JSON file, which
appears when it is complete, so that a run that was stopped goes on where it was; two units run at a
time, each in one thread; the script sets glibc's MALLOC variables and starts itself again. About 20
minutes on two quiet cores. The page is written when the last unit is done.
"""

import argparse
import sys
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

from subsampling import ROOT, Folder, chosen, end_with_parent, start_again

PAGE = ROOT / "docs" / "models.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", help="only these, with commas between")
    parser.add_argument("--models", help="only these, with commas between")
    parser.add_argument("--limit", type=float, help="start no unit after so many seconds")
    parser.add_argument(
        "--output", type=Path, default=ROOT / ".cache" / "models", help="where units are kept"
    )
    parser.add_argument("--page", type=Path, default=PAGE, help="where the table is put")
    parser.add_argument("--table", action="store_true", help="only print what is there")
    parser.add_argument("--jobs", type=int, default=2, help="units at a time, each in one thread")
    parser.add_argument("--as-is", action="store_true", help="keep the environment as it is")
    return parser.parse_args()


def run(units, folder, sizes, limit, jobs):
    """Carry units out and store each; return whether all are done."""
    from models_units import needs

    begun = time.perf_counter()
    left = [unit for unit in units if folder.read(unit) is None]
    print(f"{len(units) - len(left)} of {len(units)} units are there", flush=True)
    waiting, running, number = list(left), {}, 0

    def late():
        return limit is not None and time.perf_counter() - begun > limit

    spawn = get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=end_with_parent) as pool:
        while running or (waiting and not late()):
            pending = {*waiting, *running.values()}
            for unit in list(waiting):
                if len(running) == jobs or late():
                    break
                if not pending.intersection(needs(unit)):
                    waiting.remove(unit)
                    running[pool.submit(work, unit, folder, sizes)] = unit
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                unit, (said, seconds) = running.pop(future), future.result()
                number += 1
                print(f"[{number}/{len(left)}] {unit.name}: {said}, {seconds:.1f} s", flush=True)
    if number < len(left):
        print(f"stopped after {limit:g} s; the same command goes on")
    return number == len(left)


def work(unit, folder, sizes):
    """Carry one unit out, store it, and return what it says and how long it took."""
    from models_units import carry_out

    begun = time.perf_counter()
    result = carry_out(unit, sizes, folder.read)
    folder.write(unit, result)
    return outcome(result), time.perf_counter() - begun


def outcome(result):
    if "diverged" in result:
        return "diverged"
    return f"score {result['score']:.3f}" if "score" in result else f"rate {result['lr']:g}"


def put_into(page, table):
    """Put the table between the two marks of a page, which stays as it is elsewhere."""
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        print(f"{page} has no {BEGIN} ... {END}", file=sys.stderr)
        raise SystemExit(2)
    page.write_text(f"{before}{begin}\n{table}\n{end}{after}", encoding="utf-8")


def main():
    arguments = parse()
    start_again(arguments)
    from models_table import table_of
    from models_units import MODELS, SIZES, TASKS, units_of, versions

    tasks = chosen(arguments.tasks, TASKS, "task")
    models = chosen(arguments.models, MODELS, "model")
    units = units_of(SIZES, tasks, models)
    folder = Folder(arguments.output, SIZES.settings())
    complete = not arguments.table and run(units, folder, SIZES, arguments.limit, arguments.jobs)
    done = {unit: result for unit in units if (result := folder.read(unit)) is not None}
    table = table_of(SIZES, done, tasks, models, versions(), len(units))
    print(table)
    if complete and (tasks, models) == (TASKS, MODELS):
        put_into(arguments.page, table)
        print(f"written: {arguments.page}")


if __name__ == "__main__":
    main()
