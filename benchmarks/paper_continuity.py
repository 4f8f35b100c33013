"""Run the study `paper-continuity` and write docs/results/paper-continuity.md with its figures.

    python benchmarks/paper_continuity.py [--systems 20,500] [--seed 0] [--output FOLDER]

Figures are of the last number of systems, as SVG of two columns and of one (7 and 3.35 inches).
"""

import argparse
import time
from pathlib import Path

from timegrain.report.figures import ONE_COLUMN, TWO_COLUMNS, amplitude_curves, save_vector
from timegrain.report.figures.amplitudes import RULES, amplitude_words
from timegrain.study import run_study
from timegrain.study.presets.paper_continuity.words import dropped_text, span

ROOT = Path(__file__).parent.parent / "docs" / "results"
COLUMNS = {"paper-continuity": TWO_COLUMNS, "paper-continuity-column": ONE_COLUMN}


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--systems", default="20,500", help="comma list, ascending")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=ROOT, help="folder of the page")
    return parser.parse_args(arguments)


def measure(counts, seed):
    """Return `(result, seconds)` of each number of systems."""
    found = []
    for count in counts:
        start = time.perf_counter()
        result = run_study("paper-continuity", systems=count, seed=seed)
        found.append((result, time.perf_counter() - start))
        print(f"{count} systems: {found[-1][1]:.1f} s", flush=True)
    return found


def page(found):
    """Return the page in Markdown."""
    result, _ = found[-1]
    made = result.provenance
    counts = ",".join(str(r.n_systems) for r, _ in found)
    parts = [
        "# Random systems on ever finer grids",
        f"`python benchmarks/paper_continuity.py --systems {counts} --seed {made.seed}`; timegrain "
        f"{made.timegrain}, numpy {made.packages['numpy']}, python {made.python}, {made.platform}. "
        "The command alone, with rows and a report: "
        f"`timegrain study --preset {result.kind} --systems {result.n_systems} --output FOLDER`.",
        SYSTEMS,
    ]
    for r, seconds in found:
        parts += [
            f"**{r.n_systems} systems** of each family ({seconds:.0f} s). "
            f"{dict(r.summary_lines())['conclusion']} Left out: {dropped_text(r)}.",
        ]
    parts += [f"![{amplitude_words(result).title}](paper-continuity.svg)", CAPTION]
    parts += ["## Growth with the amplitude", *(growth_table(r) for r, _ in found)]
    for norm in ("sup", "rms"):
        title = f"## Median {norm} error over {result.n_systems} systems"
        parts += [title, error_table(result, norm)]
    return "\n\n".join(parts) + "\n"


SYSTEMS = """
A is HiPPO-LegS with 8 states, `B, C ~ N(0, 1) / sqrt 8`, `t` in [0, 1], `x(0) = 0`. S4:
`x' = .01 (A x + B u)`, `y = C' x`. S6: `x' = s(u) (A x + B u^2)`, `y = u C' x`,
`s = softplus(w u + b)`, `w ~ N(0, 1)`, `softplus(b) = .01`. The input is
`4 a (c_0 + sum_{k<=20} c_k T_k(2 t - 1))`, `c_0 ~ .25 N(0, 1)`, `c_k ~ .35 N(0, 1) / k`, held from
each sample to the next. Errors are relative, both norms over the times of the coarse grid, against
Richardson's limit of the same rule at the steps 2^-11 and 2^-12. What the paper (Yu, Lyu, Erichson,
arXiv 2605.08539) does not give of its systems is our own choice.
""".strip()
CAPTION = """
A line an amplitude, from the palest (1, circles) to the darkest (32, squares); bands are 95 %
intervals of the medians of those two, the dotted line has slope 1.
[One column](paper-continuity-column.svg).
""".strip()


def growth_table(result):
    """Return order and growth of each kind of system as a Markdown table."""
    head = (
        f"| {result.n_systems} systems | norm | order, over amplitudes | error at "
        f"{result.amplitudes[-1]:g} over that at {result.amplitudes[0]:g} | farthest curve |"
    )
    rows = [head, "|---|---|---|---|---|"]
    for g in result.growths:
        kind = (g.family, g.discretization, g.norm)
        orders = [o.order for o in result.orders if (o.family, o.discretization, o.norm) == kind]
        rows.append(
            f"| {name(g)} | {g.norm} | {span(orders)} | {g.growth:.2f} [{g.low:.2f}, {g.high:.2f}] "
            f"| {g.spread:.1g} |"
        )
    return "\n".join(rows)


def error_table(result, norm):
    """Return every amplitude's errors at every other step as a Markdown table."""
    taus = result.taus[::2]
    head = " | ".join(f"tau 1/{round(1 / tau)}" for tau in taus)
    rows = [f"| system | amplitude | {head} |", "|---|---|" + "---|" * len(taus)]
    for g in result.growths:
        if g.norm != norm:
            continue
        for a in result.amplitudes:
            kind = {"amplitude": a, "discretization": g.discretization, "norm": norm}
            cells = [result.row(g.family, tau=tau, **kind) for tau in taus]
            texts = " | ".join(f"{c.error:.2g} [{c.low:.2g}, {c.high:.2g}]" for c in cells)
            rows.append(f"| {name(g)} | {a:.3g} | {texts} |")
    return "\n".join(rows)


def name(cell):
    return f"{cell.family.upper()}, {RULES[cell.discretization]}"


def main(arguments=None):
    chosen = parse(arguments)
    found = measure([int(n) for n in chosen.systems.split(",")], chosen.seed)
    chosen.output.mkdir(parents=True, exist_ok=True)
    (chosen.output / "paper-continuity.md").write_text(page(found))
    for stem, width in COLUMNS.items():
        figure = amplitude_curves(found[-1][0], width=width, title=False)
        save_vector(figure, chosen.output / f"{stem}.svg")
    print(chosen.output / "paper-continuity.md")


if __name__ == "__main__":
    main()
