"""Write into the cards who was measured to learn their tasks."""

import re

from tasks_units import BASELINE, MODEL, Unit

LINE = re.compile(r"^learnable = .*\n", re.MULTILINE)
# the table [problem] ends where another begins
PROBLEM = re.compile(r"^\[problem\]\n(?:(?!\[).*\n)*?(?=\n*(?:\[|\Z))", re.MULTILINE)


def above_trivial(result):
    """Return whether a score's interval lies above the trivial score; None where none was found."""
    if result is None or "reason" in result:
        return None
    return result["low"] is not None and result["low"] > result["trivial"]


def write_cards(folder, cards, done):
    """Bring the line `learnable` of each card up to what was measured, and return whose changed.

    Args:
        folder: Of the files.
        cards: All of them.
        done: Results by unit; what is not there is not written.
    """
    changed = []
    for card in cards:
        if card.problem is None:
            continue
        file = folder / f"{card.name}.toml"
        old = file.read_text(encoding="utf-8")
        new = with_learnable(old, _measured(card, done))
        if new != old:
            file.write_text(new, encoding="utf-8")
            changed.append(card.name)
    return changed


def _measured(card, done):
    kinds = {"baseline": BASELINE, "model": MODEL}
    found = {
        word: above_trivial(done.get(Unit(kind=kind, task=card.name)))
        for word, kind in kinds.items()
    }
    return {word: above for word, above in found.items() if above is not None}


def says_otherwise(card, done):
    """Return whether a card says of somebody what was measured to be otherwise, or not at all."""
    if card.problem is None:
        return False
    said = {"baseline": card.problem.learnable.baseline, "model": card.problem.learnable.model}
    return any(said[word] != above for word, above in _measured(card, done).items())


def with_learnable(text, measured):
    """Return the text of a card that says what was measured, and nothing where nothing was."""
    text = LINE.sub("", text)
    if not measured:
        return text
    words = ", ".join(f"{word} = {str(above).lower()}" for word, above in measured.items())
    return PROBLEM.sub(lambda found: f"{found[0]}learnable = {{ {words} }}\n", text, count=1)
