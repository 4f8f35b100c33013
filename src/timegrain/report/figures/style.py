"""Colours and matplotlib settings that every figure shares."""

import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import matplotlib

LineStyle = Literal["-", ""] | tuple[float, tuple[float, ...]]

INK = "#1f2933"
MUTED = "#5d6b7a"
GRID = "#e2e6eb"
PAPER = "#ffffff"

_MODELS = {
    "s4": "#332288",
    "s4d": "#0072b2",
    "s5": "#8c8c2a",
    "s6": "#d55e00",
    "mamba": "#882255",
    "transformer": "#aa4499",
    "gru": "#009e73",
    "tcn": "#7a5c3e",
    "lru": "#117733",
    "b2s6": "#c25b6c",
    "mamba2": "#661100",
    "mamba3": "#cc6677",
    "linear_attention": "#44aa99",
    "gla": "#2b8c7e",
    "deltanet": "#6699cc",
    "gated_deltanet": "#4477aa",
    "lstm": "#228833",
    "ckconv": "#999933",
}
_WORDS = {  # others are abbreviations
    "mamba": "Mamba",
    "mamba2": "Mamba-2",
    "mamba3": "Mamba-3",
    "linear_attention": "linear attention",
    "deltanet": "DeltaNet",
    "gated_deltanet": "Gated DeltaNet",
    "transformer": "Transformer",
    "ckconv": "CKConv",
}
# A line style and a marker for each, so that curves differ without any colour.
_LINES: dict[str, LineStyle] = {
    "s4": (0, (6, 1.5, 1, 1.5)),
    "s4d": "-",
    "s5": (0, (8, 2)),
    "s6": (0, (4, 1.6)),
    "mamba": (0, (1.2, 1.2)),
    "transformer": (0, (3, 1.2, 1, 1.2, 1, 1.2)),
    "gru": (0, (8, 1.5, 2, 1.5)),
    "tcn": (0, (2.4, 2.4)),
    "lru": (0, (10, 1.5, 1, 1.5)),
    "b2s6": (0, (6, 1.2, 3, 1.2)),
    "mamba2": (0, (1.2, 2.4)),
    "mamba3": (0, (1.2, 1.2, 1.2, 3)),
    "linear_attention": (0, (5, 1, 1, 1, 1, 1, 1, 1)),
    "gla": (0, (5, 3)),
    "deltanet": (0, (3, 1)),
    "gated_deltanet": (0, (3, 1, 1, 1)),
    "lstm": (0, (10, 2, 2, 2)),
    "ckconv": (0, (12, 2)),
}
_MARKS = {
    "s4": "D",
    "s4d": "o",
    "s5": "^",
    "s6": "s",
    "mamba": "v",
    "transformer": "P",
    "gru": "X",
    "tcn": "<",
    "lru": ">",
    "b2s6": "p",
    "mamba2": "h",
    "mamba3": "*",
    "linear_attention": "d",
    "gla": "H",
    "deltanet": "8",
    "gated_deltanet": "^",
    "lstm": "s",
    "ckconv": "o",
}
_OTHER_LINES: tuple[LineStyle, ...] = ("-", (0, (5, 2)), (0, (1.2, 1.2)))
_OTHER_MARKS = ("h", "d", ">")
_OTHER_MODELS = ("#b0568b", "#8a6d00", "#56778f")
SETS = (
    "#332288",
    "#2b8c7e",
    "#8c8c2a",
    "#c25b6c",
    "#882255",
    "#117733",
    "#aa4499",
    "#7a5c3e",
)

SET_MARKS = ("o", "s", "^", "D", "v", "P", "X", "<")

# The same roles on a dark page, each at least 3:1 against its paper.
DARK = {
    INK: "#e6e9ed",
    MUTED: "#9aa7b5",
    GRID: "#2d353e",
    PAPER: "#14181d",
    "#0072b2": "#4aa8e0",
    "#d55e00": "#f08a3c",
    "#009e73": "#35c79b",
    "#b0568b": "#d98bbb",
    "#8a6d00": "#d1b04a",
    "#56778f": "#8fb0ca",
    "#332288": "#9d92e8",
    "#2b8c7e": "#56bfae",
    "#8c8c2a": "#c2c25a",
    "#c25b6c": "#ee97a5",
    "#882255": "#d0608f",
    "#117733": "#5fbf75",
    "#aa4499": "#d684cb",
    "#7a5c3e": "#c49a72",
}

SETTINGS: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": MUTED,
    "axes.labelsize": 8.5,
    "axes.linewidth": 0.7,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "figure.facecolor": PAPER,
    "font.family": ["DejaVu Sans"],
    "font.size": 8.5,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "savefig.facecolor": PAPER,
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": MUTED,
    "xtick.labelsize": 8.5,
    "xtick.major.size": 3,
    "xtick.minor.size": 0,
    "ytick.color": MUTED,
    "ytick.labelsize": 8.5,
    "ytick.left": False,
    "ytick.minor.size": 0,
}


@contextmanager
def styled() -> Iterator[None]:
    """Apply the shared settings inside a `with` block and leave the global ones as they were.

    Names are shown as they are: `$` starts no formula.
    """
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


def model_colours(names: Iterable[str]) -> dict[str, str]:
    """Return a colour for each model; known names keep theirs in every figure.

    Args:
        names: Registry names, in any order and repeated or not.

    Example:
        >>> model_colours(["s6", "mine"]) == {"mine": "#b0568b", "s6": "#d55e00"}
        True
    """
    others = itertools.cycle(_OTHER_MODELS)
    return {n: _MODELS[n] if n in _MODELS else next(others) for n in sorted(set(names))}


@dataclass(frozen=True, kw_only=True)
class ModelStyle:
    """How one model is drawn.

    Args:
        colour: As `#rrggbb`.
        line: A line style of matplotlib's.
        mark: A marker of matplotlib's.
    """

    colour: str
    line: LineStyle
    mark: str


def model_styles(names: Iterable[str]) -> dict[str, ModelStyle]:
    """Return colour, line style and marker for each model; known names keep theirs.

    Args:
        names: Registry names, in any order and repeated or not.

    Example:
        >>> [(s.line, s.mark) for s in model_styles(["s4d", "s6"]).values()]
        [('-', 'o'), ((0, (4, 1.6)), 's')]
    """
    colours = model_colours(names)
    lines, marks = itertools.cycle(_OTHER_LINES), itertools.cycle(_OTHER_MARKS)
    return {
        n: ModelStyle(
            colour=colour,
            line=_LINES[n] if n in _LINES else next(lines),
            mark=_MARKS[n] if n in _MARKS else next(marks),
        )
        for n, colour in colours.items()
    }


def display(name: str) -> str:
    """Return the name people know a model by: `S4D` for `s4d`.

    Example:
        >>> display("s6"), display("mamba"), display("my_module:Net")
        ('S6', 'Mamba', 'my_module:Net')
    """
    return _WORDS.get(name, name.upper()) if name in _MODELS else name


def short(name: str, limit: int = 18) -> str:
    """Return a name cut to `limit` characters, with an ellipsis where it was cut.

    Example:
        >>> short("a-rather-long-dataset-name", 10)
        'a-rather-…'
    """
    return name if len(name) <= limit else name[: limit - 1] + "…"
