"""Figures as files for a paper: vectors whose text is text."""

import io
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib

from timegrain.core.errors import ConfigError
from timegrain.core.output import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("svg", "pdf")
_FONT = re.compile(r"'DejaVu Sans'(?!,)")
_FAMILY = "'DejaVu Sans', Verdana, Arial, Helvetica, sans-serif"


def save_vector(figure: "Figure", path: str | Path) -> Path:
    """Write a figure as SVG or PDF at the size it was drawn.

    Text stays text: in SVG it is in DejaVu Sans or, where that is not installed, another sans serif
    font; a PDF holds the letters it needs as TrueType. The same figure gives the same file, byte
    for byte.

    Args:
        figure: Of this package or of your own.
        path: A file ending in `.svg` or `.pdf`; it appears whole or not at all.

    Returns:
        The path.

    Raises:
        ConfigError: If the ending is another.
    """
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise ConfigError(
            "figures for papers are vectors",
            got=path.name,
            expected="a name that ends in .svg or .pdf",
            hint="figure.savefig(path, dpi=300) for pixels",
        )
    write_atomically(path, as_bytes(figure, kind))
    return path


def as_bytes(figure: "Figure", kind: str) -> bytes:
    """Return a figure as the content of an SVG or PDF file."""
    nothing = {
        "svg": ("Creator", "Date", "Format", "Type"),
        "pdf": ("Creator", "Producer", "CreationDate"),
    }
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "timegrain", "pdf.fonttype": 42}
    buffer = io.BytesIO()
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        # a reader of SVG has the letters that the font used for measuring lacks
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(buffer, format=kind, metadata=dict.fromkeys(nothing[kind]))
    content = buffer.getvalue()
    return _FONT.sub(_FAMILY, content.decode()).encode() if kind == "svg" else content
