"""Whether stages pay beside full resolution, by hand-made histories."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from timegrain.core import read_result
from timegrain.report import write_report
from timegrain.training import EpochRow, StageRow
from timegrain.training.saving import saving_texts, savings, with_savings
from timegrain.training.units import ScoredOver

STORED = Path(__file__).parents[2] / "golden" / "v1" / "training-run.json"
N = 1000


def run(plan, *rows, seed=0, correct=True):
    """A training with rows `(stride, seconds, score)`, in which the first cases are right."""
    history = tuple(
        EpochRow(epoch=i, stride=k, seconds=float(s), train_loss=1.0, score=score)
        for i, (k, s, score) in enumerate(rows, start=1)
    )
    score = history[-1].score
    right = round(N * max(score, 0))
    return replace(
        read_result(STORED.read_text()),
        plan=plan,
        seed=seed,
        stages=tuple(StageRow(stride=k, epochs=1) for k, _, _ in rows),
        history=history,
        score=score,
        low=score - 0.03,
        high=score + 0.03,
        trivial_score=0.2,
        seconds=history[-1].seconds,
        over=None,
        correct="1" * right + "0" * (N - right) if correct else None,
    )


def full(seed=0, scores=(0.3, 0.6, 0.6), **more):
    return run("full", *((1, 10 * i, s) for i, s in enumerate(scores, start=1)), seed=seed, **more)


STAGED = run("4:2,1:1", (4, 2, 0.4), (4, 5, 0.595), (1, 15, 0.598))


def test_both_are_timed_to_the_epoch_from_which_they_stay_near():
    (saving,) = savings([full(), STAGED])
    assert (saving.full.seconds, saving.full.passes) == (20.0, 2.0)
    assert (saving.staged.seconds, saving.staged.passes) == (5.0, 0.5)
    assert (saving.time_share, saving.seen, saving.verdict) == (0.25, 0.5, "pays")
    assert saving.sentence() == (
        "s4d on OSULeaf, stages 4:2,1:1: pays: as near in 0.25 of the time. They end at accuracy "
        "0.598 and full resolution at 0.600: -0.002 (95 % interval -0.005 to +0.001, over the same "
        "1,000 test sequences). Full resolution is within 0.01 of its end to stay after 20 s, the "
        "stages after 5.0 s. In all they saw 0.50 of the samples of as many epochs at full "
        "resolution, in 15 s against 30 s. One seed is one seed: another may say otherwise."
    )


def test_a_lucky_epoch_is_no_arrival():
    lucky = run("4:2,1:1", (4, 2, 0.7), (4, 5, 0.5), (1, 15, 0.595))
    (saving,) = savings([full(), lucky])
    assert saving.staged.seconds == 15.0
    (saving,) = savings([full(), run("2:2", (2, 2, 0.7), (2, 5, 0.5))])
    assert (saving.staged, saving.verdict) == (None, "does not pay")
    assert math.isnan(saving.time_share)
    assert "they surely end lower" in saving.sentence()
    assert "the stages end further below, after 5.0 s" in saving.sentence()


def test_what_takes_as_long_does_not_pay():
    (saving,) = savings([full(), run("2:1,1:1", (2, 20, 0.4), (1, 60, 0.6))])
    assert (saving.verdict, saving.why) == ("does not pay", "as near takes them 3.00 of the time")
    # samples are of as many epochs at full resolution, so that no share is above 1
    assert saving.seen == 0.75
    (saving,) = savings([full(), run("2:1,1:1", (2, 10, 0.4), (1, 19, 0.6))])
    assert saving.verdict == "cannot tell"


@pytest.mark.parametrize("scores", [(0.2, 0.21, 0.22), (0.2, -0.1, -0.5)])
def test_nothing_is_saved_where_nothing_was_learned(scores, tmp_path):
    nothing = full(scores=scores)
    (saving,) = savings([nothing, STAGED])
    assert saving.verdict == "cannot tell"
    assert "full resolution is not surely better than trivial (accuracy" in saving.sentence()
    assert saving.to_parameters()["staged_seconds"] is None
    page = write_report([nothing, STAGED], tmp_path / "page.html", title="one").read_text()
    assert "Stages minus full resolution" not in page
    assert "cannot tell: full resolution is not surely better" in " ".join(page.split())


def test_scores_are_compared_case_by_case_and_by_group():
    first, second = full(), run("2:2", (2, 5, 0.59), (2, 9, 0.59))
    (alone,) = savings([first, second])
    over = ScoredOver(unit="group", n_units=5, case="sequence", n_cases=N)
    units = " ".join(str(5 * i // N) for i in range(N))
    grouped = [replace(r, over=over, unit_of=units) for r in (first, second)]
    (wide,) = savings(grouped)
    assert alone.difference.low == pytest.approx(-0.016, abs=0.002)
    assert wide.difference.low < alone.difference.low
    assert "over the same 5 groups" in wide.difference.over
    (unknown,) = savings([replace(r, unit_of=None) for r in grouped])
    assert "nothing is known case by case" in unknown.difference.over
    # two intervals of +-.03, as if they were independent
    assert unknown.difference.low == pytest.approx(-0.01 - 0.03 * math.sqrt(2))
    assert (unknown.verdict, alone.verdict) == ("cannot tell", "pays")


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
    assert saving.difference.value == pytest.approx(-0.05)
    assert "10 s (in 1 of 2 seeds)" in saving.sentence()
    assert "medians over 2 seeds" in saving.sentence()


@pytest.mark.parametrize(
    "changes", [{"task": "other"}, {"n_train": 7}, {"model": {"name": "s4d", "d_model": 9}}]
)
def test_only_like_trainings_are_compared(changes):
    assert not savings([full(), replace(STAGED, **changes)])


def test_without_full_resolution_there_is_only_the_share_of_the_samples():
    (text,) = saving_texts([run("4:1,1:1", (4, 2, 0.4), (1, 9, 0.61))])
    assert (
        "cannot tell: nothing was trained at full resolution beside them. They saw 0.62 of" in text
    )
    assert not saving_texts([full()])


def test_the_record_of_the_stages_keeps_the_verdict():
    whole, staged = with_savings([full(), STAGED])
    assert whole == full()
    assert staged.notes[-1].startswith("Do stages pay? s4d on OSULeaf, stages")
    figures = read_result(staged.to_json()).provenance.parameters["saving"]
    assert (figures["verdict"], figures["time_share"]) == ("pays", 0.25)
    assert saving_texts([staged]) == ()  # it says so itself


def test_stages_that_ended_early_say_their_epochs():
    plan = (StageRow(stride=4, epochs=12), StageRow(stride=1, epochs=1))
    rows = [EpochRow(epoch=e, stride=4, seconds=e, train_loss=1.0, score=0.6) for e in (1, 2)]
    rows += [EpochRow(epoch=13, stride=1, seconds=9.0, train_loss=1.0, score=0.6)]
    early = replace(STAGED, plan="4:12,1:1", stages=plan, history=tuple(rows))
    assert dict(early.summary_lines())["stages"] == (
        "2 of 12 epochs at stride 4, 1 epoch at stride 1"
    )
    assert "stages 4:2 of 12,1:1" in savings([full(), early])[0].sentence()


def test_the_page_says_what_was_saved_once(tmp_path):
    runs = with_savings([full(), STAGED])
    page = write_report(runs, tmp_path / "one.html", title="one")
    text = " ".join(page.read_text().split())
    assert text.count("In all they saw 0.50 of the samples") == 1
    others = [replace(r, task="GunPoint") for r in (full(), STAGED)]
    page = write_report([full(), STAGED, *others], tmp_path / "two.html", title="two")
    assert page.read_text().count("× 0.25") == 2
    page = write_report([STAGED], tmp_path / "alone.html", title="alone")
    assert "cannot tell: nothing was trained at full" in " ".join(page.read_text().split())
    assert "beside a baseline" not in page.read_text()
