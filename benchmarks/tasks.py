"""Measure every shipped task: its continuity, a baseline's score and a small network's.

    python benchmarks/tasks.py
    python benchmarks/tasks.py --limit 600
    python benchmarks/tasks.py --tasks GunPoint,ecg
    python benchmarks/tasks.py --kinds baseline,model
    python benchmarks/tasks.py --table
    python benchmarks/tasks.py --cards

The page is docs/tasks.md, between two marks: what is known of each task from its card, and beside
it what was measured here; see benchmarks/tasks_units.py for sizes. Cells that nobody measured yet
say so.

As in benchmarks/models.py each unit is one JSON file, which appears when it is complete, so that a
run that was stopped goes on where it was; a unit is done again when the version of its task, or a
size, is another. The page is written at the end of every run, from all units that are there;
`--table` writes it and measures nothing. `--cards` also writes into the cards who was measured to
score above the trivial score; where they say otherwise than the units, the script says so.

Networks take 2 to 20 s of one core, continuities mostly under 5 (the slowest 30), baselines of a
few thousand cases the most: all units together about half an hour on one core that does nothing
else. Each unit keeps its own processor time; scores do not depend on what else the machine does.
"""

import argparse
from pathlib import Path

from models import put_into
from process import MALLOC, ONE_THREAD, start_again
from units import Folder, Work, chosen, run, versions

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "tasks.md"
CARDS = ROOT / "src" / "timegrain" / "data" / "cards"


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", help="measure only these, in this order, with commas")
    parser.add_argument("--kinds", help="only these of continuity, baseline and model")
    parser.add_argument("--limit", type=float, help="start no unit after so many seconds")
    parser.add_argument(
        "--output", type=Path, default=ROOT / ".cache" / "tasks", help="where units are kept"
    )
    parser.add_argument("--page", type=Path, default=PAGE, help="where the tables are put")
    parser.add_argument("--table", action="store_true", help="write what is there, measure nothing")
    parser.add_argument("--cards", action="store_true", help="as --table, and the cards with it")
    parser.add_argument("--jobs", type=int, default=2, help="units at a time, each in one thread")
    parser.add_argument("--as-is", action="store_true", help="keep the environment as it is")
    return parser.parse_args()


def outcome(result):
    if "reason" in result:
        return f"not measured: {result['reason']}"
    kind = "continuity" if "continuity" in result else "score"
    return f"{kind} {result[kind]:.3f}"


def main():
    arguments = parse()
    measures = not (arguments.table or arguments.cards)
    if measures and not arguments.as_is:
        start_again({**MALLOC, **ONE_THREAD})
    from tasks_cards import says_otherwise, write_cards
    from tasks_table import tables_of
    from tasks_units import KINDS, SIZES, carry_out, needs, settings_of, units_of
    from timegrain.data.cards import read_card, task_cards

    cards = task_cards()
    names = tuple(card.name for card in cards)
    folder = Folder(arguments.output, settings_of(SIZES))
    work = Work(sizes=SIZES, carry_out=carry_out, needs=needs, say=outcome)
    if measures:
        wanted = chosen(arguments.tasks, names, "task")
        kinds = chosen(arguments.kinds, KINDS, "kind")
        by_name = {card.name: card for card in cards}
        units = units_of([by_name[name] for name in dict.fromkeys(wanted)])
        units = [unit for unit in units if unit.kind in kinds]
        run(units, folder, work, limit=arguments.limit, jobs=arguments.jobs)
    done = {u: result for u in units_of(cards) if (result := folder.read(u)) is not None}
    if arguments.cards:
        print("changed:", ", ".join(write_cards(CARDS, cards, done)) or "no card")
        cards = [read_card(CARDS / f"{card.name}.toml") for card in cards]
    put_into(arguments.page, tables_of(SIZES, cards, done, versions() if done else {}))
    print(f"written: {arguments.page}")
    spent = [r["processor_seconds"] for r in done.values() if "processor_seconds" in r]
    print(f"processor time of {len(spent)} units: {sum(spent):.0f} s")
    if stale := [card.name for card in cards if says_otherwise(card, done)]:
        print("cards that say otherwise than was measured:", ", ".join(stale))


if __name__ == "__main__":
    main()
