"""What the fields of a card are held to."""

from timegrain.core.errors import DataError


def check_text(what: str, /, **texts: str) -> None:
    """Refuse text that is empty, or has blanks at an end.

    Args:
        what: What the fields are of, for errors.
        texts: By the name of the field.
    """
    for field, text in texts.items():
        if not text or text != text.strip():
            raise DataError(f"{what} has no usable {field}", got=repr(text), expected="a text")


def check_word(what: str, field: str, word: str, known: tuple[str, ...]) -> None:
    """Refuse a word that is none of the known ones.

    Args:
        what: What the field is of, for errors.
        field: Its name.
        word: Its value.
        known: The words there are.
    """
    if word not in known:
        raise DataError(f"{what} has another {field}", got=repr(word), expected=", ".join(known))


def check_count(what: str, *, least: int, **counts: int) -> None:
    """Refuse numbers that are below the least.

    Args:
        what: What the fields are of, for errors.
        least: The smallest that is allowed.
        counts: By the name of the field.
    """
    for field, count in counts.items():
        if count < least:
            raise DataError(f"{what} has no usable {field}", got=count, expected=f">= {least}")


def check_score(what: str, field: str, metric: str, score: float) -> None:
    """Refuse a score that its metric cannot reach.

    Args:
        what: What the field is of, for errors.
        field: Its name.
        metric: `"accuracy"` or `"r2"`.
        score: Its value.
    """
    low = 0.0 if metric == "accuracy" else float("-inf")
    if not low <= score <= 1.0:
        raise DataError(
            f"{what} has a {field} outside the range of {metric}",
            got=score,
            expected="0 to 1" if metric == "accuracy" else "1 or less",
        )
