"""Numbers with their nouns."""


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    Args:
        number: How many.
        noun: Of one.
        plural: Of several; None adds an s.

    Example:
        >>> count(1, "epoch"), count(1200, "epoch"), count(2, "class", "classes")
        ('1 epoch', '1,200 epochs', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
