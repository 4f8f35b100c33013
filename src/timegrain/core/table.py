"""Plain-text tables that stay readable at 80 columns."""

from collections.abc import Sequence


def number(value: float | None, digits: int = 3) -> str:
    """Return a number in `digits` significant figures, or `-` for none.

    Args:
        value: Any finite number, or None.
        digits: Significant figures.

    Example:
        >>> number(0.00042451), number(None), number(64.0)
        ('4.25e-04', '-', '64')
    """
    if value is None:
        return "-"
    if value == 0 or (float(value).is_integer() and abs(value) < 10**6):
        return str(int(value))
    if abs(value) < 1e-3 or abs(value) >= 10**6:
        return f"{value:.{digits - 1}e}"
    return f"{value:.{digits}g}"


def ordinal(number: int) -> str:
    """Return `2nd` for 2.

    Example:
        >>> [ordinal(n) for n in (1, 2, 3, 4, 12, 32)]
        ['1st', '2nd', '3rd', '4th', '12th', '32nd']
    """
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{({1: 'st', 2: 'nd', 3: 'rd'}).get(number % 10, 'th')}"


def render(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table with the first column left-aligned and the others right-aligned.

    Args:
        header: Column names.
        rows: Cells as text, one sequence a row, each as long as `header`.

    Example:
        >>> print(render(["set", "D(2)"], [["ecg", "0.01"], ["weather", "0.2"]]))
        set      D(2)
        -------  ----
        ecg      0.01
        weather   0.2
    """
    widths = [max(len(c) for c in column) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        rest = [c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=True)]
        return "  ".join([first, *rest]).rstrip()

    return "\n".join([line(header), line(["-" * w for w in widths]), *(line(r) for r in rows)])


def pairs(items: Sequence[tuple[str, str]], *, title: str, width: int = 80) -> str:
    """Return labelled lines under a title, wrapped to `width` columns.

    Args:
        items: `(label, text)` for each line.
        title: The first line.
        width: Columns.

    Example:
        >>> print(pairs([("n", "3"), ("order", "1.00")], title="model continuity"))
        model continuity
          n      3
          order  1.00
    """
    import textwrap

    label_width = max((len(label) for label, _ in items), default=0)
    lines = [title]
    for label, text in items:
        wrapped = textwrap.wrap(text, width - label_width - 4) or [""]
        lines.append(f"  {label.ljust(label_width)}  {wrapped[0]}")
        lines += [" " * (label_width + 4) + part for part in wrapped[1:]]
    return "\n".join(lines)
