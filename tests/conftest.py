import gc
import signal
import sys
from pathlib import Path

import pytest

# A shell's background jobs ignore SIGINT, and so would the commands that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests that compile many kernels for the first time, which others find on disk, and tests of none.
MEASURES = ("anchors/test_task_processes.py", "unit/cli/test_large_tables.py")
LAYERS = ("contracts/test_layers.py", "anchors/test_model_layers.py", "kernels/")
NEITHER = ("unit/data/",)
MANY = 100  # modules
_loaded = [0]


def pytest_collection_modifyitems(items):
    """Put the tests that compile measures first and those that compile layers in the middle.

    Of two workers one begins at the first test and one in the middle. The first goes on with tests
    of data while the second compiles, so that neither waits for, or repeats, what the other does.
    """
    here = Path(__file__).parent.as_posix()

    def of(files):
        return [
            i for i in items if i.path.as_posix().startswith(tuple(f"{here}/{f}" for f in files))
        ]

    first, layers = of(MEASURES) + of(NEITHER), of(LAYERS)
    chosen = {*first, *layers}
    others = [item for item in items if item not in chosen]
    half = max(len(items) // 2 - len(first), 0)
    items[:] = [*first, *others[:half], *layers, *others[half:]]


def pytest_collection_finish():
    _keep()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    done = yield
    if nextitem is None or nextitem.path != item.path:
        _keep()
    return done


def _keep():
    """Leave what modules hold to the end out of every search for garbage: it is a second each."""
    if len(sys.modules) >= _loaded[0] + MANY:
        _loaded[0] = len(sys.modules)
        gc.collect()
        gc.freeze()
