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
from pathlib import Path

from process import MALLOC, ONE_THREAD, start_again
from units import Folder, Work, chosen, run, versions

ROOT = Path(__file__).resolve().parents[1]
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


def outcome(result):
    if "diverged" in result:
        return "diverged"
    return f"score {result['score']:.3f}" if "score" in result else f"rate {result['lr']:g}"


def put_into(page, table, *, begin=BEGIN, end=END):
    """Put the table between the two marks of a page, which stays as it is elsewhere, or is new."""
    text = page.read_text(encoding="utf-8") if page.exists() else f"{begin}\n{end}\n"
    before, first, rest = text.partition(begin)
    _, last, after = rest.partition(end)
    if not (first and last):
        print(f"{page} has no {begin} ... {end}", file=sys.stderr)
        raise SystemExit(2)
    page.write_text(f"{before}{begin}\n{table}\n{end}{after}", encoding="utf-8")


def main():
    arguments = parse()
    if not (arguments.as_is or arguments.table):
        start_again({**MALLOC, **ONE_THREAD})
    from models_table import table_of
    from models_units import MODELS, SIZES, TASKS, carry_out, needs, units_of
    from performance.environment import processor

    tasks = chosen(arguments.tasks, TASKS, "task")
    models = chosen(arguments.models, MODELS, "model")
    units = units_of(SIZES, tasks, models)
    folder = Folder(arguments.output, SIZES.settings())
    work = Work(sizes=SIZES, carry_out=carry_out, needs=needs, say=outcome)
    complete = not arguments.table and run(
        units, folder, work, limit=arguments.limit, jobs=arguments.jobs
    )
    done = {unit: result for unit in units if (result := folder.read(unit)) is not None}
    made = {**versions(), "machine": processor(), "last measured": folder.last_day(units)}
    table = table_of(SIZES, done, tasks, models, made, len(units))
    print(table)
    if complete and (tasks, models) == (TASKS, MODELS):
        put_into(arguments.page, table)
        print(f"written: {arguments.page}")


if __name__ == "__main__":
    main()
