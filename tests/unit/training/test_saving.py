"""What stages saved beside full resolution, by hand-made histories."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from timegrain.core import read_result
from timegrain.report import write_report
from timegrain.training import EpochRow, StageRow
from timegrain.training.saving import saving_texts, savings

STORED = Path(__file__).parents[2] / "golden" / "v1" / "training-run.json"


def run(plan, *rows, seed=0):
    """A training with rows `(stride, seconds, score)`."""
    history = tuple(
        EpochRow(epoch=i, stride=k, seconds=float(s), train_loss=1.0, score=score)
        for i, (k, s, score) in enumerate(rows, start=1)
    )
    return replace(
        read_result(STORED.read_text()),
        plan=plan,
        seed=seed,
        stages=tuple(StageRow(stride=k, epochs=1) for k, _, _ in rows),
        history=history,
        score=history[-1].score,
        seconds=history[-1].seconds,
    )


def full(seed=0, scores=(0.3, 0.6, 0.6)):
    return run("full", *((1, 10 * i, s) for i, s in enumerate(scores, start=1)), seed=seed)


def test_both_are_timed_to_the_first_epoch_with_the_final_score_of_full_resolution():
    staged = run("4:2,1:1", (4, 2, 0.4), (4, 5, 0.591), (1, 15, 0.7))
    (saving,) = savings([full(), staged])
    assert (saving.full.seconds, saving.full.passes) == (20.0, 2.0)
    assert (saving.staged.seconds, saving.staged.passes) == (5.0, 0.5)
    assert (saving.time_share, saving.sample_share) == (0.25, 0.25)
    assert saving.sentence() == (
        "s4d on OSULeaf at full resolution comes within 0.01 of its final accuracy of 0.600 after "
        "20 s of training; the stages 4:2,1:1 do after 5.0 s, 0.25 of the time and 0.25 of the "
        "samples. They end at 0.700."
    )


def test_stages_that_never_reach_it_are_said_so():
    (saving,) = savings([full(), run("2:2", (2, 5, 0.4), (2, 10, 0.5))])
    assert saving.staged is None
    assert math.isnan(saving.time_share)
    assert "do not: they end at 0.500 after 10 s and 0.50 of the" in saving.sentence()


def test_seeds_are_compared_with_themselves():
    slow = full(1, scores=(0.1, 0.2, 0.9))
    runs = [
        full(),
        slow,
        run("2:2", (2, 5, 0.4), (2, 10, 0.7)),
        run("2:2", (2, 6, 0.4), (2, 12, 0.7), seed=1),
        run("2:2", (2, 6, 0.4), (2, 12, 0.7), seed=2),
    ]
    (saving,) = savings(runs)
    assert (saving.reached, saving.seeds) == (1, 2)
    assert (saving.full.seconds, saving.staged.seconds) == (20.0, 10.0)
    assert "(medians over 1 of 2 seeds)" in saving.sentence()


@pytest.mark.parametrize(
    "changes", [{"task": "other"}, {"n_train": 7}, {"model": {"name": "s4d", "d_model": 9}}]
)
def test_only_like_trainings_are_compared(changes):
    staged = run("2:2", (2, 5, 0.4), (2, 10, 0.7))
    assert not savings([full(), replace(staged, **changes)])


def test_without_full_resolution_there_is_only_the_share_of_the_samples():
    (text,) = saving_texts([run("4:1,1:1", (4, 2, 0.4), (1, 9, 0.61))])
    assert "saw 0.62 of the samples of as many epochs at full resolution; none was trained" in text
    assert not saving_texts([full()])


def test_the_page_says_what_was_saved(tmp_path):
    staged = run("4:2,1:1", (4, 2, 0.4), (4, 5, 0.61), (1, 15, 0.7))
    page = write_report([full(), staged], tmp_path / "one.html", title="one")
    text = " ".join(page.read_text().split())
    assert "0.25 of the time and 0.25 of the samples. They end at 0.700." in text
    others = [replace(r, task="GunPoint") for r in (full(), staged)]
    page = write_report([full(), staged, *others], tmp_path / "two.html", title="two")
    assert page.read_text().count("× 0.25") == 4
    page = write_report([staged], tmp_path / "alone.html", title="alone")
    assert "the saving in time is not known" in page.read_text()
