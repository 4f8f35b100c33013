"""Measure everything on the page docs/performance.md, in one run, and write it.

    python benchmarks/run.py [--rounds 9] [--only selective,s5] [--quick] [--output FOLDER]

Values and gradients are compared before anything is timed; contenders take turns within a round.
`performance.json` holds every figure, `performance.md` the page. Where `--output` is not given they
are written to `docs/results/performance.json` and `docs/performance.md`; with `--only` or `--quick`
it must be given, because the page is of a whole run.

Large temporaries make page faults dominate on small machines, and those are erratic. So that the
allocator is not what is measured, the script sets glibc's MALLOC variables (see
`process.py`) and starts itself again where they are not set.
"""

import argparse
import datetime
import importlib
import json
import sys
import time
from pathlib import Path

from performance.environment import machine
from performance.page import render
from performance.rounds import Settings
from process import MALLOC, start_again

ROOT = Path(__file__).parent.parent
SECTIONS = {
    "selective": "selective:measure",
    "matrix": "matrix:measure",
    "reach": "reach:measure",
    "mamba": "mamba_block:measure",
    "s5": "s5:measure",
    "s4d": "s4d:measure",
    "layers": "scale:measure",
    "growth": "scale:growth",
    "step": "step:measure",
    "memory": "memory:measure",
    "faults": "faults:measure",
    "sums": "sums:measure",
}


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=9, help="rounds, at least 7 for the page")
    parser.add_argument("--only", help=f"some of {','.join(SECTIONS)}")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: a test that all runs")
    parser.add_argument("--output", type=Path, help="folder of performance.json and performance.md")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a target is missed")
    chosen = parser.parse_args(arguments)
    chosen.sections = list(SECTIONS) if chosen.only is None else chosen.only.split(",")
    unknown = [name for name in chosen.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"--only: no such section as {unknown[0]}; there are {', '.join(SECTIONS)}")
    if chosen.output is None and (chosen.only or chosen.quick or chosen.rounds < 7):
        parser.error("the page is of a whole run with 7 rounds or more; give --output FOLDER")
    return chosen


def run(sections, settings):
    """Return the figures of these sections."""
    result = {"machine": machine(), "quick": settings.quick, "sections": []}
    result["date"] = datetime.datetime.now(datetime.UTC).date().isoformat()
    start = time.perf_counter()
    for name in sections:
        module, function = SECTIONS[name].split(":")
        begun = time.perf_counter()
        measure = getattr(importlib.import_module(f"performance.{module}"), function)
        section = measure(settings).to_dict()
        print(f"{name}: {time.perf_counter() - begun:.1f} s", flush=True)
        result["sections"].append(section)
    result["seconds"] = time.perf_counter() - start
    return result


def write(result, output):
    """Write the JSON and the page, and return the page's path."""
    data = ROOT / "docs" / "results" if output is None else output
    page = (ROOT / "docs" if output is None else output) / "performance.md"
    data.mkdir(parents=True, exist_ok=True)
    (data / "performance.json").write_text(json.dumps(result, indent=1, allow_nan=False) + "\n")
    page.write_text(render(result))
    return page


def main():
    chosen = parse()
    start_again(MALLOC)
    try:
        rounds = 2 if chosen.quick else chosen.rounds
        settings = Settings(rounds=rounds, quick=chosen.quick)
        result = run(chosen.sections, settings)
    except ImportError as error:
        print(
            f"a rival is not installed ({error}).\n"
            "Try: pip install --no-deps -r benchmarks/requirements.txt",
            file=sys.stderr,
        )
        raise SystemExit(2) from error
    print(write(result, chosen.output).read_text())
    rows = [row for section in result["sections"] for row in section["rows"]]
    if chosen.strict and any(row["met"] is False for row in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
