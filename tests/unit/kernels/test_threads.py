import os
import subprocess
import sys
import threading

import pytest
import torch

from timegrain.kernels import threads
from timegrain.kernels.threads import run_shared


@pytest.fixture(params=["team", "pool"])
def two_threads(request, monkeypatch):
    """Two threads, from torch's team where there is one, and from our own pool."""
    if request.param == "pool":
        monkeypatch.setattr(threads, "_openmp", lambda: None)
    elif threads._openmp() is None:
        pytest.skip("torch does not run on GNU OpenMP here")
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_ranges_cover_every_item_once_on_as_many_threads_as_torch_has(two_threads):
    done, names = [], set()
    together = threading.Barrier(2, timeout=30)

    def task(start, stop):
        together.wait()  # passes only if two threads are here at once
        done.extend(range(start, stop))
        names.add(threading.current_thread().name)

    run_shared(task, 7, work=10**6)
    assert sorted(done) == list(range(7)) and len(names) == 2


def test_little_work_and_single_items_stay_on_the_caller(two_threads):
    def task(start, stop):
        assert threading.current_thread() is threading.main_thread()

    run_shared(task, 7, work=10)
    run_shared(task, 1, work=10**6)


@pytest.mark.parametrize("culprit", [0, 1])
def test_an_error_in_any_thread_reaches_the_caller(two_threads, culprit):
    def task(start, stop):
        if start == culprit:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_shared(task, 2, work=10**6)


SCRIPT = """
import os, sys
import timegrain.kernels as kernels
assert "torch" not in sys.modules and "numba" not in sys.modules
import torch
from timegrain.kernels.selective import fused
assert not fused.numba_.forward.signatures and not fused.numba_.backward.signatures
torch.set_num_threads(2)
x = torch.ones(4, 500, 16)
n = torch.ones(4, 500, 8)
def run():
    return kernels.selective_scan(x, x, -torch.ones(16, 8), n, n)
y = run()
child = os.fork()
if child == 0:
    os._exit(0 if torch.equal(run(), y) else 1)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_nothing_is_loaded_or_compiled_early_and_a_forked_process_can_scan():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], timeout=120, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
