"""Figures as SVG that can stand in a page beside others, in the page's own colours."""

import io
import re
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import matplotlib
from markupsafe import Markup, escape

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HEAD = re.compile(r"^.*?(?=<svg)|<metadata>.*?</metadata>|<!--.*?-->|<style.*?</style>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_TEXT = re.compile(r">([^<]*)<")
_REFERENCE = re.compile(r'(?:url\(#|href="#)([^")]+)')
_LONG_NUMBER = re.compile(r"(\d+\.\d\d)\d+")
_FONT = "'DejaVu Sans'"


def inline_svg(
    figure: "Figure", *, prefix: str, title: str, description: str, colours: Mapping[str, str]
) -> Markup:
    """Return a figure as an `<svg>` element for an HTML page.

    Ids that nothing refers to are dropped and the others get the prefix, since two figures of one
    page must not share any; text stays text, in the page's font.

    Args:
        figure: What to draw; the same figure gives the same text.
        prefix: Put before every id; different for every figure of a page.
        title: The figure's accessible name.
        description: The figure in words.
        colours: Colours as `#rrggbb` to the CSS variables that stand for them.
    """
    text = _HEAD.sub("", _draw(figure, prefix))
    used = set(_REFERENCE.findall(text))
    body = _TAG.sub(lambda tag: _clean(tag[0], prefix, used, colours), text)
    body = _TEXT.sub(lambda part: f">{part[1].strip()}<", body)
    width, height = (value * 72 for value in figure.get_size_inches())
    opening = Markup(
        '<svg role="img" aria-label="{}" aria-describedby="{}desc" viewBox="0 0 {:g} {:g}"'
        ' style="max-width: {:.0f}px"><desc id="{}desc">{}</desc>'
    ).format(title, prefix, width, height, width * 4 / 3, prefix, escape(description))
    return opening + Markup(body[body.index(">") + 1 :].strip())


def _draw(figure: "Figure", salt: str) -> str:
    buffer = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": salt}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        # The reader's browser has the letters that the font used for measuring lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(buffer, format="svg", metadata=nothing)
    return buffer.getvalue()


def _clean(tag: str, prefix: str, used: set[str], colours: Mapping[str, str]) -> str:
    tag = re.sub(r"\s+", " ", tag)
    tag = re.sub(r' id="([^"]+)"', lambda m: _keep_id(m[1], prefix, used), tag)
    tag = tag.replace("xlink:href", "href").replace('href="#', f'href="#{prefix}')
    tag = tag.replace("url(#", f"url(#{prefix}").replace(_FONT, "var(--sans)")
    tag = _LONG_NUMBER.sub(r"\1", tag)
    for colour, variable in colours.items():
        tag = tag.replace(colour, f"var(--{variable})")
    return tag


def _keep_id(name: str, prefix: str, used: set[str]) -> str:
    return f' id="{prefix}{name}"' if name in used else ""
