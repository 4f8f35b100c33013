import logging
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from timegrain.core.errors import ConfigError, UnknownNameError
from timegrain.kernels import lti_conv
from timegrain.kernels.dispatch import Backend, choose, compiled_on_cpu, explain, recorded


def never(tensors):
    return False, "it is Sunday"


def build(**options):
    return Backend(target="math:sqrt", **options)


def test_the_first_usable_backend_runs_and_the_others_say_why_not():
    backends = [build(name="fast", usable=never), build(name="slow")]
    assert choose("op", backends, "auto", {"x": None})(9) == 3
    choice = explain()["op"]
    assert (choice.backend, choice.asked, choice.rejected) == (
        "slow",
        "auto",
        {"fast": "it is Sunday"},
    )
    assert str(choice) == (
        "op ran on slow (asked: auto): it takes any device and dtype; not fast: it is Sunday"
    )


def test_a_backend_asked_for_is_never_replaced():
    backends = [build(name="fast", usable=never), build(name="slow")]
    with pytest.raises(ConfigError, match="'fast', got it is Sunday"):
        choose("op", backends, "fast", {})
    with pytest.raises(UnknownNameError, match="one of auto, fast, slow"):
        choose("op", backends, "fsat", {})


def test_a_backend_that_is_not_automatic_runs_only_when_asked():
    backends = [build(name="loop", automatic=False)]
    with pytest.raises(ConfigError, match="cannot run on backend 'auto'"):
        choose("op", backends, "auto", {})
    assert choose("op", backends, "loop", {})(4) == 2


def test_a_choice_is_logged_once(caplog):
    with caplog.at_level(logging.INFO, logger="timegrain.kernels"):
        for _ in range(3):
            choose("logged-op", [build(name="one")], "auto", {})
    assert [r.message for r in caplog.records] == [
        "logged-op ran on one (asked: auto): it takes any device and dtype"
    ]


def test_usable_sees_only_tensors_that_are_there():
    seen = {}

    def record(tensors):
        seen.update(tensors)
        return True, "fine"

    choose("op", [build(name="a", usable=record)], "auto", {"x": torch.zeros(1), "y": None})
    assert list(seen) == ["x"]


def test_a_small_tensor_is_left_to_the_next_backend_unless_it_is_told():
    backends = [build(name="fast", least=4), build(name="slow")]
    for size, asked, wanted in ((3, "auto", "slow"), (4, "auto", "fast"), (3, "fast", "fast")):
        choose("sized-op", backends, asked, {"x": torch.zeros(size)})
        assert explain()["sized-op"].backend == wanted
    choose("sized-op", backends, "auto", {"x": torch.zeros(3)})
    assert "x has less than 4 numbers" in explain()["sized-op"].rejected["fast"]
    assert list(explain())[-1] == "sized-op"


def test_a_recording_holds_what_its_own_thread_chose():
    backends = [build(name="only")]
    with ThreadPoolExecutor(1) as pool, recorded() as outer:
        choose("first-op", backends, "auto", {})
        with recorded() as inner:
            choose("second-op", backends, "auto", {})
            pool.submit(choose, "elsewhere-op", backends, "auto", {}).result()
    assert (set(outer), set(inner)) == ({"first-op", "second-op"}, {"second-op"})
    assert {"first-op", "second-op", "elsewhere-op"} <= set(explain())


def test_loops_are_not_run_where_numba_compiles_nothing(monkeypatch):
    x = torch.ones(1, 4, 1)
    for value in (0, 1):
        monkeypatch.setattr("numba.core.config.DISABLE_JIT", value)
        usable, reason = compiled_on_cpu({"x": x})
        assert usable == (value == 0)
    assert reason == "NUMBA_DISABLE_JIT is set, so that nothing is compiled"
    with pytest.raises(ConfigError, match="NUMBA_DISABLE_JIT is set"):
        lti_conv(x, x[0, :, 0][None], backend="numba")
