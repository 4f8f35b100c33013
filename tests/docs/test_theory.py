"""The page on theory says what is measured: every prompt in it is run."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "theory" / "task-continuity.md"


def test_every_number_on_the_page_is_what_is_measured():
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted > 20
    assert found.failed == 0
