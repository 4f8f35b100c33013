"""`timegrain ls`: the names that other commands accept."""

import shutil
import sys
import textwrap
from typing import Annotated, Literal

from cyclopts import Parameter

from timegrain.cli.flags import Json

NARROWEST = 20  # columns that a summary has, however narrow the terminal


def ls(
    kind: Annotated[
        Literal["datasets", "models", "signals", "presets", "tasks"] | None,
        Parameter(
            help="datasets; models, which are built and run for what is said of them; signals, for "
            "--signal; presets, for timegrain study; tasks, read from their cards."
        ),
    ] = None,
    /,
    *,
    json: Json = False,
) -> int:
    """List all that has a name; of models or tasks alone what they are."""
    import json as codec

    if kind == "models":
        return _models(as_json=json)
    if kind == "tasks":
        return _tasks(as_json=json)
    rows = _named(kind)
    if json:
        keys = ("name", "kind", "summary")
        codec.dump([dict(zip(keys, r, strict=True)) for r in rows], sys.stdout, indent=2)
        print()
        return 0
    print(_listing(rows))
    return 0


def _named(kind: str | None) -> list[tuple[str, str, str]]:
    """Return the name, the kind and a summary of all that is of a kind; None for everything."""
    from timegrain.data import datasets
    from timegrain.data.signals import signal_families
    from timegrain.data.systems.generators import SYSTEMS
    from timegrain.models import models
    from timegrain.study.presets.catalogue import presets

    kinds = (
        ("dataset", datasets),
        ("model", models),
        ("signal", signal_families),
        ("preset", presets),
    )
    rows = [
        (e.name, noun, e.summary)
        for noun, registry in kinds
        for e in registry
        if kind in (None, f"{noun}s")
    ]
    if kind in (None, "signals"):
        at = next((i for i, row in enumerate(rows) if row[1] == "preset"), len(rows))
        rows[at:at] = [
            (system.name, "system", f"{system.title}, with refine='resimulate'")
            for system in SYSTEMS
        ]
    return rows


def _models(*, as_json: bool) -> int:
    import json as codec

    from timegrain.cli.cards import cards_text
    from timegrain.cli.compiling import tell, tells_of_compiling
    from timegrain.core.codec import encode
    from timegrain.models import models
    from timegrain.models.card import layer_card

    cards = []
    with tells_of_compiling():
        for entry in models:
            cards.append(layer_card(entry.name))
            tell(f"{entry.name}: {cards[-1].parameters:,} parameters")
    if as_json:
        codec.dump(encode(cards), sys.stdout, indent=2)
        print()
    else:
        print(cards_text(cards))
    return 0


def _tasks(*, as_json: bool) -> int:
    import json as codec

    from timegrain.cli.task_cards import task_cards_text, task_options
    from timegrain.data.cards import task_cards

    cards = task_cards()
    if as_json:
        said = [{**_fields(card), "options": task_options(card.name)} for card in cards]
        codec.dump(said, sys.stdout, indent=2)
        print()
    else:
        print(task_cards_text(cards))
    return 0


def _fields(card: object) -> dict[str, object]:
    from timegrain.core.codec import encode

    found = encode(card)
    if not isinstance(found, dict):
        raise TypeError(f"a card is encoded as {type(found).__name__}")
    return found


def _listing(rows: list[tuple[str, str, str]]) -> str:
    """Return a line or more a name, the summaries in a column as wide as the terminal leaves."""
    width = max(len(name) for name, _, _ in rows)
    column = width + len("  dataset  ")
    columns = max(shutil.get_terminal_size().columns, column + NARROWEST)
    lines = []
    for name, kind, summary in rows:
        head = f"{name:{width}}  {kind:7}  "
        lines += textwrap.wrap(
            summary,
            columns,
            initial_indent=head,
            subsequent_indent=" " * column,
            break_on_hyphens=False,
        ) or [head.rstrip()]
    return "\n".join(lines)
