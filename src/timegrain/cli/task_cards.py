"""What is known about shipped sets and tasks as text of 80 columns."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.core.table import render

if TYPE_CHECKING:
    from timegrain.data.cards import TaskCard

WIDTH = 80


def task_cards_text(cards: "Sequence[TaskCard]") -> str:
    """Return a table of tasks, then what each is.

    Args:
        cards: At least one.
    """
    header = ("name", "answer", "train/val/test", "length", "trivial")
    lines = [render(header, [_row(card) for card in cards]), ""]
    lines += textwrap.wrap(
        "trivial: the score of the commonest class or of the mean. Length: samples x channels, or "
        "of symbols. --json says all: source, licence, published scores, the options of a task, "
        "its version.",
        WIDTH,
    )
    lines.append("")
    for card in cards:
        lines += textwrap.wrap(f"{card.name}: {card.what}", WIDTH, subsequent_indent="  ")
    return "\n".join(lines)


def task_options(name: str) -> dict[str, dict[str, object]]:
    """Return what `--source-options` takes of a set: by name the default, the domain, the meaning.

    Args:
        name: Of a shipped set, or of one that a folder holds, which takes none.
    """
    from timegrain.data.catalogue import card, datasets
    from timegrain.data.generated.generator import SIZES

    made = card(name).generator if name in datasets else None
    if made is None:
        return {}
    defaults = {**made.settings, **{word: getattr(made, word) for word in SIZES}}
    return {
        word: {"default": defaults[word], "domain": option.domain, "meaning": option.meaning}
        for word, option in {**made.options, **SIZES}.items()
    }


def _row(card: "TaskCard") -> tuple[str, ...]:
    return (card.name, answer(card), _parts(card), _length(card), _trivial(card))


def answer(card: "TaskCard") -> str:
    """Return what is answered in two words, `-` where nothing is asked.

    Args:
        card: Of a set.
    """
    asked = card.problem
    if asked is None:
        return "-"
    if asked.classes is not None:
        return f"{asked.classes} classes"
    return "1 value" if asked.outputs == 1 else f"{asked.outputs} values"


def _parts(card: "TaskCard") -> str:
    asked = card.problem
    if asked is None:
        return "-"
    return "/".join(str(n) if n else "-" for n in (asked.train, asked.validation, asked.test))


def _length(card: "TaskCard") -> str:
    size = card.size
    if size is None:
        return "-"
    long = f"{size.longest}" if size.shortest == size.longest else f"{size.shortest}-{size.longest}"
    return long if size.kind == "tokens" else f"{long} x {size.width}"


def _trivial(card: "TaskCard") -> str:
    return "-" if card.problem is None else f"{card.problem.trivial:z.3f}"
