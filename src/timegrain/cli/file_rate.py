"""Commands where `--hz` and `--dt` name another rate than that of the file."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from timegrain.core.errors import TimegrainError


@contextmanager
def file_rate_words() -> Iterator[None]:
    """Say `--file-hz` and `--file-dt` in errors on a file, where `--hz` and `--dt` mean others.

    Raises:
        TimegrainError: The error that was raised inside, in these words.
    """
    try:
        yield
    except TimegrainError as error:
        raise _of_the_file(error) from error


def _of_the_file(error: TimegrainError) -> TimegrainError:
    def renamed(text: object) -> str | None:
        if text is None:
            return None
        flags = re.sub(r"--(hz|dt)\b", r"--file-\1", str(text))
        words = re.sub(r"(?<![\w.-])(hz|dt)=", r"file_\1=", flags)
        return words.replace("(file_dt= and unit=, or --file-hz)", "(--file-hz or --file-dt)")

    return type(error)(
        renamed(error.what) or "",
        got=renamed(error.got),
        expected=renamed(error.expected),
        hint=renamed(error.hint),
    )
