"""Train with and without subsampling, on nine tasks and three layers, and say what it saves.

    python benchmarks/subsampling.py --preset quick
    python benchmarks/subsampling.py --preset full
    python benchmarks/subsampling.py --preset quick --table

Arms: full resolution with a learning rate of its own, the plan of `subsampling_plan`, the same plan
with a third of the samples, two equal stages, and warm-up of the sequence length. See the page it
writes, docs/results/subsampling.md, for what they are; benchmarks/subsampling_presets.py for sizes.

Each unit (a plan, a rate, a training) is one JSON file, which appears when it is complete: a run
that was stopped goes on where it was. `--limit` stops after so many seconds; `--table` only prints
what is there. The page is written when the last unit is done. On two quiet cores the units of
`quick` took 25 minutes (Intel, family 6, model 207), on slower ones 43 (AMD EPYC, family 25,
model 1). The page of `full` is docs/results/subsampling-full.md.

`--keep` goes on from a file beside the page, and stores there what is done of a task and a layer
once all its units are: so `full`, which takes hours, can go on on another machine, and all arms
that are compared ran on one. Delete the file to measure anew.

Two units run at a time, each in one thread: on so small a network two threads gain little, and the
time of a unit is then hardly the other's affair. As benchmarks/run.py does, the script sets glibc's
MALLOC variables and starts itself again, so that page faults are not what is measured. `--as-is`
keeps the environment as it is.
"""

import argparse
import os
import sys
from pathlib import Path

from kept import Kept
from process import MALLOC, ONE_THREAD, start_again
from units import Folder, Work, chosen, run, versions

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "quick": ROOT / "docs" / "results" / "subsampling.md",
    "full": ROOT / "docs" / "results" / "subsampling-full.md",
}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--preset", choices=("quick", "full"), default="quick")
    parser.add_argument("--tasks", help="only these, with commas between")
    parser.add_argument("--models", help="only these, with commas between")
    parser.add_argument("--limit", type=float, help="start no unit after so many seconds")
    parser.add_argument("--output", type=Path, help="where units are kept")
    parser.add_argument("--page", type=Path, help="what is written at the end")
    parser.add_argument("--table", action="store_true", help="only print what is there")
    parser.add_argument("--keep", action="store_true", help="go on from a file beside the page")
    parser.add_argument("--jobs", type=int, default=2, help="units at a time, each in one thread")
    parser.add_argument("--as-is", action="store_true", help="keep the environment as it is")
    return parser.parse_args()


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
    if not (arguments.as_is or arguments.table):
        start_again({**MALLOC, **ONE_THREAD})
    from subsampling_presets import MODELS, PRESETS, TASKS

    preset = PRESETS[arguments.preset]
    tasks = chosen(arguments.tasks, TASKS, "task")
    models = chosen(arguments.models, MODELS, "model")
    from subsampling_table import page
    from subsampling_units import carry_out, needs, units_of

    units = units_of(preset, tasks, models)
    output = arguments.output or ROOT / ".cache" / f"subsampling-{preset.name}"
    target = arguments.page or PAGES[preset.name]
    kept = Kept(target.with_suffix(".jsonl")) if arguments.keep else None
    folder = Folder(output, preset.settings_of, kept)
    work = Work(sizes=preset, carry_out=carry_out, needs=needs, say=outcome)
    complete = not arguments.table and run(
        units, folder, work, limit=arguments.limit, jobs=arguments.jobs
    )
    if arguments.keep:
        folder.keep(whole_cells(units_of(preset, TASKS, MODELS), folder))
    done = {unit: result for unit in units if (result := folder.read(unit)) is not None}
    made = {**versions(), "processors": processors(folder, done)}
    text = page(preset, done, tasks, models, made, len(units))
    print(text)
    if complete and (tasks, models) == (TASKS, MODELS):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        print(f"written: {os.path.relpath(target)}", file=sys.stderr)


def whole_cells(units, folder):
    """Return the units of every task and layer of which all are done, and plans."""
    cells = {}
    for unit in units:
        cells.setdefault((unit.task, unit.model), []).append(unit)
    done = {unit for unit in units if folder.read(unit) is not None}
    return [unit for cell in cells.values() if done.issuperset(cell) for unit in cell]


def processors(folder, units):
    """Return the processors that units ran on, in order."""
    found = [folder.line(unit).get("processor") for unit in units]
    return list(dict.fromkeys(name for name in found if name))


if __name__ == "__main__":
    main()
