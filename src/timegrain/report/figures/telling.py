"""How a curve shows whether the network was told its step."""

from timegrain.report.figures.scales import TRIVIAL
from timegrain.report.figures.sheet import KeyEntry
from timegrain.report.figures.style import MUTED, PAPER, ModelStyle

TOLD, UNTOLD = 1.8, 1.0  # points of the line


TRIVIAL_ENTRY = KeyEntry(text="trivial answer", colour=MUTED, line=TRIVIAL, weight=0.9)


def told_entry(text: str, style: ModelStyle, *, told: bool) -> KeyEntry:
    """Return the line of a key for a model that was told its step, or not.

    Args:
        text: What it says.
        style: Of the model.
        told: Filled and thick; else hollow and thin.
    """
    return KeyEntry(
        text=text,
        colour=style.colour,
        line=style.line,
        mark=style.mark,
        face=None if told else PAPER,
        weight=TOLD if told else UNTOLD,
    )
