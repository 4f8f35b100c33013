from collections import Counter
from dataclasses import replace

import pytest

from timegrain.advice.judgement import verdict
from timegrain.core.errors import ConfigError
from timegrain.core.output import read_output, write_output
from timegrain.study.demo import run_demo
from timegrain.study.settings import DemoSettings

SETTINGS = replace(DemoSettings.fast(), n_seeds=1)


@pytest.fixture(scope="module")
def demo():
    events = []
    return run_demo(SETTINGS, progress=events.append), events


def test_every_part_of_the_demo_is_there(demo):
    results, _ = demo
    assert Counter(r.kind for r in results.results) == {
        "task-continuity": 3,
        "model-continuity": 2,
        "baseline-score": 2,
        "training-run": 6,
        "transfer-curve": 6,
    }
    runs = [r for r in results.results if r.kind == "training-run"]
    assert {(r.task, r.layer, r.plan == "full") for r in runs} == {
        (task, layer, full)
        for layer in ("s4d", "s6")
        for task, full in (("OSULeaf", True), ("OSULeaf", False), ("OSULeaf-permuted", True))
    }
    known = {r.name for r in results.results if r.kind == "task-continuity"}
    assert {r.task for r in runs} <= known
    measured = [r for r in results.results if r.kind == "task-continuity"]
    assert {r.window for r in measured} == {SETTINGS.window}


def test_progress_goes_through_all_steps_in_order(demo):
    _, events = demo
    steps = [e.step for e in events]
    assert steps == sorted(steps)
    assert set(steps) == set(range(1, events[0].steps + 1))
    epochs = [e for e in events if e.detail.startswith("epoch")]
    assert epochs and all(e.seconds_left is not None for e in epochs)


def test_the_parts_can_be_written_read_and_judged(demo, tmp_path):
    results, _ = demo
    found = verdict(results.results)
    assert len(found.sentences) == 3
    write_output(tmp_path, found, parts=results)
    back = read_output(tmp_path)
    assert tuple(back.parts.values()) == results.results
    assert verdict(back.parts.values()).sentences == found.sentences
    assert results[0] == results.parts[0] and len(results) == len(results.parts)


def test_networks_of_the_real_demo_are_of_equal_size():
    from timegrain.models.build import build_model

    settings = DemoSettings()
    sizes = [
        sum(
            p.numel()
            for p in build_model(
                name,
                d_input=1,
                d_output=6,
                d_model=settings.d_model,
                n_layers=settings.n_layers,
                seed=0,
                **options,
            ).parameters()
        )
        for name, options in settings.models.items()
    ]
    assert max(sizes) < 1.1 * min(sizes)


@pytest.mark.parametrize("change", [{"n_seeds": 0}, {"sets": ()}, {"models": {}}])
def test_a_demo_of_nothing_is_refused(change):
    with pytest.raises(ConfigError):
        DemoSettings(**change)
