"""The pages on theory say what is measured: every prompt in them is run."""

import doctest
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "theory"


@pytest.mark.parametrize(("page", "prompts"), [("task-continuity", 20), ("certificates", 10)])
def test_every_number_on_a_page_is_what_is_measured(page, prompts):
    found = doctest.testfile(str(PAGES / f"{page}.md"), module_relative=False)
    assert found.attempted > prompts
    assert found.failed == 0
