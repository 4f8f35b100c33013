"""Errors that say what is wrong, what was passed, what is expected and what to try."""


class TimegrainError(ValueError):
    """Base of every error raised for a user's input.

    Args:
        what: What is wrong, in one clause.
        got: What was passed.
        expected: What would have been right.
        hint: What to try next; an imperative clause.

    Example:
        >>> print(GridError("refine() needs a uniform grid", got="steps between 1 s and 3 s",
        ...                 hint="signal.resample_uniform(dt=1.0) first"))
        refine() needs a uniform grid, got steps between 1 s and 3 s.
        Try signal.resample_uniform(dt=1.0) first.
    """

    def __init__(
        self,
        what: str,
        *,
        got: object = None,
        expected: object = None,
        hint: str | None = None,
    ) -> None:
        self.what = what
        self.got = got
        self.expected = expected
        self.hint = hint
        super().__init__(self._text())

    def _text(self) -> str:
        text = self.what
        if self.got is not None:
            text += f", got {self.got}"
        if self.expected is not None:
            text += f", expected {self.expected}"
        text += "."
        if self.hint is not None:
            text += f"\nTry {self.hint.rstrip('.')}."
        return text

    def within(self, context: str, *, hint: str | None = None) -> "TimegrainError":
        """Return the same error with `context` put before it, for use at a public door.

        Args:
            context: Where it happened, such as a file name.
            hint: What to try next, where the error itself does not say it.
        """
        return type(self)(
            f"{context}: {self.what}", got=self.got, expected=self.expected, hint=self.hint or hint
        )


class GridError(TimegrainError):
    """A time grid that cannot be used as asked."""


class LayoutError(TimegrainError):
    """An array whose axes do not fit the layout that was named."""


class DataError(TimegrainError):
    """A file or an array that cannot be read as time series."""


class ConfigError(TimegrainError):
    """An option with a value outside its domain."""


class ModelError(TimegrainError):
    """A model that cannot be called or measured as asked."""


class UnknownNameError(TimegrainError):
    """A name that is in no registry; the text suggests the nearest ones."""


class MissingPackageError(TimegrainError):
    """A package that is not installed; the text names the pip command."""


class ResultError(TimegrainError):
    """A result file that cannot be read or written."""
