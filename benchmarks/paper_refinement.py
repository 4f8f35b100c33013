"""Run the study `paper-refinement` and write docs/results/paper-refinement.md with its figures.

    python benchmarks/paper_refinement.py [--seeds 3] [--seed 0] [--units FOLDER] [--output FOLDER]

Each training leaves its losses in the folder of units, so that the same command goes on where it
was stopped, and one with more seeds trains only the further ones. Figures are SVG of two columns
and of one (7 and 3.35 inches).
"""

import argparse
from pathlib import Path

from process import ONE_THREAD, start_again

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = {"paper-refinement": 504.0, "paper-refinement-column": 241.2}


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, help="networks of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--units",
        type=Path,
        default=ROOT / ".cache" / "paper-refinement",
        help="where trainings that are done are kept",
    )
    parser.add_argument(
        "--output", type=Path, default=ROOT / "docs" / "results", help="folder of the page"
    )
    return parser.parse_args(arguments)


def say(event):
    if not event.detail:
        print(f"[{event.step}/{event.steps}] {event.label}", flush=True)


def page(result):
    """Return the page in Markdown."""
    from timegrain.report.figures.finer import refined_words

    made, words = result.provenance, refined_words(result)
    sizes = made.parameters
    parts = [
        "# Networks trained at one rate, on finer and coarser grids",
        f"`python benchmarks/paper_refinement.py --seeds {len(result.seeds)} --seed {made.seed}`; "
        f"timegrain {made.timegrain}, torch {made.packages['torch']}, numpy "
        f"{made.packages['numpy']}, python {made.python}, {made.platform}. "
        f"{len(result.seeds) * len(result.systems) * len(result.models)} trainings with their "
        f"scoring took {result.seconds:.0f} s of one core. The command alone, with rows and a "
        f"report: `timegrain study --preset {result.kind} --output FOLDER`; stopped, it goes on "
        "where it was.",
        dict(result.summary_lines())["conclusion"],
        *result.notes,
        f"![{words.title}](paper-refinement.svg)",
        f"{words.caption} [One column](paper-refinement-column.svg).",
        "## What was done",
        SYSTEMS.format(steps=steps(result)),
        NETWORKS.format(
            width=sizes["d_model"],
            layers=sizes["n_layers"],
            epochs=result.epochs,
            n_train=f"{result.n_train:,}",
            n_test=f"{result.n_test:,}",
            length=result.length,
            noise=result.noise,
        ),
        INTERVALS,
        "## Scores",
        score_table(result),
        "## Changes from tau 1",
        change_table(result),
    ]
    return "\n\n".join(parts) + "\n"


SYSTEMS = """
The parameters to tell, uniform in their ranges, and the step at tau 1: {steps}. A trajectory is
drawn once, on the finest grid, and all coarser ones are samples of it: every grid spans the same
time and shows the same test trajectories. Solutions of differential equations have the same values
at the instants that grids share; the process is one path, refined by drawing midpoints given their
neighbours.
""".strip()
NETWORKS = """
The oscillators are observed with noise of {noise:g} of their deviation, itself an
Ornstein-Uhlenbeck path that forgets within one step of tau 1 and is refined in the same way.
{n_train} trajectories of {length} samples (at tau 1) train networks of {layers} blocks and
{width} channels for {epochs} epochs, in batches of 16, at the rates that `train` has by itself
(0.01, and 0.001 for time scales), the same for both networks; {n_test} others score them. *Told*:
the network is given the tau of the grid; *not told*: 1. The sizes of the study in the paper (Yu,
Lyu, Erichson, arXiv 2605.08539) are not known to us; these are ours, chosen for a few minutes of a
small machine. Larger networks or longer trainings may do otherwise.
""".strip()
INTERVALS = """
R^2 is of all parameters of a system together, each in units of its deviation; means over networks.
95 % intervals are for other trajectories and other networks: both variances are added, with Welch's
degrees of freedom. With three networks that differ much, they are wide. Flat is a change of at
most 0.02: a network is said to be flat or to improve where no interval of its changes at a finer
step reaches below -0.02, to fall where one lies below, and to fall in each network, unevenly, where
none does but all networks that were trained lose more than 0.02 at the finest step.
""".strip()


def steps(result):
    from timegrain.study.presets.paper_refinement.trajectories import SYSTEMS as WATCHED

    texts = []
    for system in result.systems:
        ranges = ", ".join(
            f"{p.name} in {p.low:g} to {p.high:g}" for p in WATCHED[system.name].parameters
        )
        texts.append(f"{system.title} ({ranges}; {system.dt:g})")
    return ", ".join(texts)


def score_table(result):
    """Return every score as a Markdown table."""
    return table(result, result.taus, lambda c: ends(c.score, c.low, c.high, 3))


def change_table(result):
    """Return every change from tau 1 as a Markdown table."""
    taus = [tau for tau in result.taus if tau != 1]
    return table(result, taus, lambda c: ends(c.change, c.change_low, c.change_high, 3))


def table(result, taus, text):
    from timegrain.report.figures.scales import ratio
    from timegrain.report.figures.style import display

    rows = [
        f"| system | network | {' | '.join(f'tau {ratio(t)}' for t in taus)} |",
        "|---|---|" + "---|" * len(taus),
    ]
    for system in result.systems:
        for model in result.models:
            for told in (True, False):
                cells = [result.row(system.name, model, tau=t, told=told) for t in taus]
                name = f"{display(model)}, {'told' if told else 'not told'}"
                rows.append(f"| {system.title} | {name} | {' | '.join(map(text, cells))} |")
    return "\n".join(rows)


def ends(value, low, high, digits):
    text = f"{value:.{digits}f}"
    return text if low is None else f"{text} [{low:.{digits}f}, {high:.{digits}f}]"


def main(arguments=None):
    from timegrain.report.figures import refined_scores, save_vector
    from timegrain.study import run_study

    chosen = parse(arguments)
    result = run_study(
        "paper-refinement",
        progress=say,
        seeds=chosen.seeds,
        seed=chosen.seed,
        folder=chosen.units,
    )
    chosen.output.mkdir(parents=True, exist_ok=True)
    (chosen.output / "paper-refinement.md").write_text(page(result))
    for stem, width in COLUMNS.items():
        figure = refined_scores(result, width=width, title=False)
        save_vector(figure, chosen.output / f"{stem}.svg")
    print(chosen.output / "paper-refinement.md")


if __name__ == "__main__":
    start_again(ONE_THREAD)
    main()
