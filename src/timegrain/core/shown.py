"""Values in the text of errors."""


def shown(value: object) -> str:
    """Return a value as an error shows it: on one short line.

    Example:
        >>> shown("no")
        "'no'"
    """
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write out a whole number of thousands of digits
        return f"a huge {type(value).__name__}"
    if "\n" in text:
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."
