"""Recall and state tracking, by layer: what matrix states, the delta rule and signs are good for.

    python benchmarks/families.py
    python benchmarks/families.py --table

Three seeds of small networks on two generated tasks: the value of a key seen once (mqar), and
whether the number of ones so far is odd (parity, asked at every bit). The table is put into
docs/models.md, between two marks. Units are files, as in benchmarks/models.py: what was stopped
goes on. About fifteen minutes of one core.
"""

import argparse
import statistics
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from process import MALLOC, ONE_THREAD, start_again
from units import Folder, Work, fewer, independent, run, versions

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "models.md"
BEGIN, END = "<!-- families: begin -->", "<!-- families: end -->"
SIGNED = {"negative_eigenvalues": True}
LAYERS = {
    "linear_attention": ("linear_attention", {}),
    "gla": ("gla", {}),
    "deltanet": ("deltanet", {}),
    "deltanet, no convolution": ("deltanet", {"d_conv": 0}),
    "deltanet, beta to 2": ("deltanet", SIGNED),
    "gated_deltanet": ("gated_deltanet", {}),
    "gated_deltanet, no convolution": ("gated_deltanet", {"d_conv": 0}),
    "gated_deltanet, beta to 2": ("gated_deltanet", SIGNED),
    "mamba": ("mamba", {}),
    "mamba2": ("mamba2", {}),
    "mamba3": ("mamba3", {}),
    "s6": ("s6", {}),
    "lru": ("lru", {}),
    "transformer": ("transformer", {}),
    "gru": ("gru", {}),
}
SIZES = {
    "seeds": 3, "n_train": 2000, "n_test": 1000, "d_model": 32, "n_layers": 2, "batch_size": 32,
    "tasks": {
        "mqar": {"options": {"length": 16, "pairs": 4, "symbols": 16, "answer": "last"},
                 "head": "last", "epochs": 24, "lr": 0.01},
        "parity": {"options": {"length": 40, "answer": "every"},
                   "head": "step", "epochs": 8, "lr": 0.01},
    },
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Unit:
    task: str
    layer: str
    seed: int

    @property
    def name(self):
        return f"{self.task}--{self.layer.replace(', ', '-').replace(' ', '-')}--seed-{self.seed}"


@lru_cache(maxsize=2)
def task_of(name):
    from timegrain import load_task

    options = SIZES["tasks"][name]["options"]
    return fewer(load_task(name, **options), SIZES["n_train"], SIZES["n_test"])


def carry_out(unit, sizes, found):
    """Return the accuracy of one network on the test part."""
    from timegrain import build_model, train

    task, asked = task_of(unit.task), sizes["tasks"][unit.task]
    layer, options = LAYERS[unit.layer]
    model = build_model(
        layer, d_input=task.d_input, d_output=task.d_output, d_model=sizes["d_model"],
        n_layers=sizes["n_layers"], head=asked["head"], seed=unit.seed, **options,
    )  # fmt: skip
    done = train(
        model, task, epochs=asked["epochs"], lr=asked["lr"], batch_size=sizes["batch_size"],
        seed=unit.seed,
    )  # fmt: skip
    return {"score": done.score, "trivial": task.trivial_score}


def table_of(done, made):
    """Return the table in Markdown."""
    size, tasks = SIZES, SIZES["tasks"]
    recall = tasks["mqar"]["options"]
    words = ", ".join(f"{name} {version}" for name, version in made.items())
    lines = [
        f"`python benchmarks/families.py`; {words}. {size['n_layers']} blocks of "
        f"{size['d_model']} channels, {size['n_train']:,} training cases, {size['n_test']:,} of "
        f"test, batches of {size['batch_size']}, learning rate .01. *Recall*: mqar, "
        f"{recall['pairs']} keys with their values in {recall['length']} tokens of "
        f"{recall['symbols']} kinds, one asked for ({tasks['mqar']['epochs']} epochs). *Parity*: "
        f"of the bits so far, at each of {tasks['parity']['options']['length']} "
        f"({tasks['parity']['epochs']} epochs). Accuracy: mean of {size['seeds']} seeds, smallest "
        "and largest.",
        "",
        "| layer | recall | parity |",
        "|---|---|---|",
    ]
    for layer in LAYERS:
        cells = [_cell([done.get(u) for u in units_of() if (u.task, u.layer) == (t, layer)])
                 for t in tasks]  # fmt: skip
        lines.append(f"| {layer} | {' | '.join(cells)} |")
    chance = [next((r["trivial"] for u, r in done.items() if u.task == t), None) for t in tasks]
    shown = ["" if value is None else f"{value:.2f}" for value in chance]
    return "\n".join([*lines, f"| commonest answer | {' | '.join(shown)} |"])


def _cell(results):
    scores = [r["score"] for r in results if r is not None]
    if not scores:
        return ""
    return f"{statistics.mean(scores):.2f} ({min(scores):.2f} to {max(scores):.2f})"


def units_of():
    return [
        Unit(task=t, layer=layer, seed=s)
        for s in range(SIZES["seeds"])
        for t in SIZES["tasks"]
        for layer in LAYERS
    ]


def work_of():
    return Work(sizes=SIZES, carry_out=carry_out, needs=independent, say=outcome)


def outcome(result):
    return f"score {result['score']:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--limit", type=float, help="start no unit after so many seconds")
    parser.add_argument("--output", type=Path, default=ROOT / ".cache" / "families")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the table is put")
    parser.add_argument("--table", action="store_true", help="only print what is there")
    parser.add_argument("--jobs", type=int, default=2, help="units at a time, each in one thread")
    arguments = parser.parse_args()
    if not arguments.table:
        start_again({**MALLOC, **ONE_THREAD})
    from models import put_into

    folder = Folder(arguments.output, SIZES)
    work = work_of()
    complete = not arguments.table and run(
        units_of(), folder, work, limit=arguments.limit, jobs=arguments.jobs
    )
    done = {unit: result for unit in units_of() if (result := folder.read(unit)) is not None}
    table = table_of(done, versions())
    print(table)
    if complete:
        put_into(arguments.page, table, begin=BEGIN, end=END)
        print(f"written: {arguments.page}", file=sys.stderr)


if __name__ == "__main__":
    main()
