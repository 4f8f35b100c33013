"""Importing the package and asking for help stay cheap and load no heavy library."""

import json
import subprocess
import sys

HEAVY = (
    "torch",
    "numba",
    "scipy",
    "pyarrow",
    "matplotlib",
    "jinja2",
    "transformers",
    "accelerate",
    "pytorch_lightning",
    "lightning",
)

PACKAGES = (
    "stats",
    "kernels",
    "resample",
    "models",
    "data",
    "continuity",
    "training",
    "training.distributed",
    "training.loops",
    "checks",
    "study",
    "advice",
    "report",
)


def modules_after(statement: str) -> set[str]:
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_loads_no_heavy_library():
    assert not modules_after("import timegrain, timegrain.core.grid").intersection(HEAVY)


def test_every_package_loads_without_torch():
    packages = PACKAGES
    loaded = modules_after("\n".join(f"import timegrain.{p}" for p in packages))
    assert not loaded.intersection(HEAVY)


def test_command_line_parser_loads_no_heavy_library():
    loaded = modules_after("import timegrain.cli.main")
    assert not loaded.intersection(HEAVY)


def test_import_and_help_stay_within_their_budgets():
    # the fastest of five, because the machine may be busy; the budgets are .15 s and .6 s of
    # processor time beyond an empty interpreter
    empty = _fastest("pass")
    assert _fastest("import timegrain") - empty < 0.15
    helped = _fastest("from timegrain.cli.main import run; run(['--help'])")
    assert helped - empty < 0.6


def _fastest(statement: str) -> float:
    code = f"{statement}\nimport sys, time\nprint(time.process_time(), file=sys.stderr)"
    times = []
    for _ in range(5):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
        )
        times.append(float(done.stderr.splitlines()[-1]))
    return min(times)
