from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def own_files():
    """The functions that write the files which the pages use, by name."""
    scope: dict = {"__name__": "own_files"}
    code = (Path(__file__).parent / "own_files.py").read_text(encoding="utf-8")
    exec(compile(code, "own_files.py", "exec"), scope)
    return scope
