import json

import pytest
import torch

import timegrain.kernels.selective.scan as selective
from timegrain.checks.doctor import backends, examination, self_test
from timegrain.checks.doctor.fact import BROKEN, FINE, NOTE, Fact
from timegrain.checks.doctor.machine import machine
from timegrain.checks.doctor.versions import versions
from timegrain.cli.main import run
from timegrain.models import S4D, S6


@pytest.mark.parametrize("name", ["kernel", "s4d", "s6"])
def test_each_self_test_passes(name):
    said, works = self_test.TESTS[name]()
    assert works, said


def test_a_wrong_kernel_is_seen(monkeypatch):
    right = selective.choose

    def wrong(operation, backends, asked, tensors):
        scan = right(operation, backends, asked, tensors)
        if asked == "reference":
            return scan
        return lambda *given, **options: tuple(1.01 * part for part in scan(*given, **options))

    monkeypatch.setattr(selective, "choose", wrong)
    said, works = self_test.kernel_test()
    assert not works, said


@pytest.mark.parametrize(("layer", "test"), [(S4D, "s4d"), (S6, "s6")])
def test_a_layer_that_is_not_told_its_step_is_seen(layer, test, monkeypatch):
    monkeypatch.setattr(layer, "takes_tau", False)
    said, works = self_test.TESTS[test]()
    assert not works, said


def test_what_raises_is_broken_and_does_not_stop_the_others(monkeypatch):
    def failing():
        raise RuntimeError("no such instruction\nmore")

    monkeypatch.setattr(self_test, "TESTS", {"one": failing, "two": lambda: ("right", True)})
    one, two = self_test.self_test()
    assert (one.verdict, two.verdict) == (BROKEN, FINE)
    assert one.value.startswith("no such instruction (")


def test_facts_about_the_machine(monkeypatch):
    monkeypatch.setenv("MALLOC_MMAP_MAX_", "0")
    for name in ("MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_"):
        monkeypatch.delenv(name, raising=False)
    facts = {fact.name: fact for fact in (*versions(), *machine())}
    assert facts["torch"].value == torch.__version__
    assert "cores usable" in facts["processor"].value
    assert facts["malloc"].verdict == NOTE  # two of the three are not set
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1")
    monkeypatch.setenv("MALLOC_TOP_PAD_", "1")
    assert {fact.name: fact for fact in machine()}["malloc"].verdict == FINE


def test_more_threads_than_cores_are_noted(monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: 4096)
    fact = next(fact for fact in machine() if fact.name == "threads")
    assert fact.verdict == NOTE
    assert "OMP_NUM_THREADS=" in fact.advice


def test_a_cache_that_cannot_be_written_is_noted(monkeypatch):
    self_test.kernel_test()
    fact = backends.cache()
    assert fact.verdict == FINE
    assert "loaded" in fact.value
    monkeypatch.setattr(backends.os, "access", lambda *_: False)
    assert "NUMBA_CACHE_DIR" in backends.cache().advice


@pytest.fixture
def found(monkeypatch):
    def fake(*verdicts):
        facts = tuple(
            Fact(group="self-test", name=f"part{i}", value="word " * 30, verdict=verdict,
                 advice="something" if verdict != FINE else "")
            for i, verdict in enumerate(verdicts)
        )  # fmt: skip
        for module in ("versions", "machine", "backends"):
            monkeypatch.setattr(f"timegrain.checks.doctor.{module}.{module}", lambda: ())
        monkeypatch.setattr(self_test, "self_test", lambda: facts)

    return fake


def test_status_and_verdict(found, capsys):
    found(FINE, NOTE)
    assert run(["doctor"]) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[-1] == "verdict: it works, with 1 note"
    assert max(len(line) for line in text.splitlines()) <= 80
    found(FINE, BROKEN)
    assert run(["doctor", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["works"], data["verdict"]) == (False, "broken: self-test part1")
    assert data["facts"][1]["advice"] == "something"


@pytest.mark.slow
def test_this_installation_works():
    found = examination.examine()
    assert found.works, found.verdict
    assert {"versions", "machine", "backends", "self-test"} == {fact.group for fact in found.facts}


def test_without_a_compiler_layers_compute_in_torch_and_the_variable_is_named(monkeypatch):
    monkeypatch.setattr("numba.core.config.DISABLE_JIT", 1)
    for name in ("s6", "s4d"):
        said, works = self_test.TESTS[name]()
        assert works, said
    fact = backends.cache()
    assert fact.verdict == NOTE
    assert "NUMBA_DISABLE_JIT" in fact.value
    assert "NUMBA_DISABLE_JIT" in fact.advice
