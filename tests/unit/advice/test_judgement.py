"""Verdicts on results of trainings that never happened, with the scores each test needs."""

from types import SimpleNamespace

import pytest

from timegrain.advice.judgement import LABEL_NOTE, verdict
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.core.result import read_result
from timegrain.training.baseline import BaselineScore
from timegrain.training.rate_transfer import TransferCurve, TransferRow
from timegrain.training.run import EpochRow, TrainingRun
from timegrain.training.stages import parse_stages, plan_name

COMMON = {"outcome": Outcome.MEASURED, "provenance": Provenance.collect()}
N = 1000


def marks(score):
    """Answers to N cases, the first ones right: what networks get wrong then goes together."""
    right = round(score * N)
    return "1" * right + "0" * (N - right)


def make_run(layer, task, seed, score, *, stages="1:2", history=None, **changes):
    """A run whose history is `(seconds, score)` pairs; by default half the score at half time."""
    history = history or ((5.0, score / 2), (10.0, score))
    rows = tuple(
        EpochRow(epoch=i, stride=1, seconds=t, train_loss=1.0, score=s)
        for i, (t, s) in enumerate(history, start=1)
    )
    plan = parse_stages(stages)
    fields = COMMON | {
        "name": f"{layer} on {task}",
        "model": {"name": layer},
        "task": task,
        "seed": seed,
        "plan": plan_name(plan),
        "stages": plan,
        "n_parameters": 10,
        "n_train": 10,
        "n_test": N,
        "batch_size": 16,
        "dt_trained": 1.0,
        "unit": "sample",
        "metric": "accuracy",
        "trivial_score": 0.2,
        "score": score,
        "low": score - 0.03,
        "high": score + 0.03,
        "seconds": history[-1][0],
        "history": rows,
        "correct": marks(score),
    }
    return TrainingRun(**(fields | changes))


def make_curve(layer, task, seed, told, untold):
    """A curve with the scores at strides 1, 2, 4."""
    rows = tuple(
        TransferRow(
            stride=k,
            tau_told=float(k) if is_told else 1.0,
            told=is_told,
            score=s,
            low=s - 0.03,
            high=s + 0.03,
            correct=marks(s),
        )
        for is_told, scores in ((True, told), (False, untold))
        for k, s in zip((1, 2, 4), scores, strict=True)
    )
    return TransferCurve(
        **COMMON,
        name=f"{layer} on {task}",
        model={"name": layer},
        task=task,
        seed=seed,
        plan="full",
        takes_tau=True,
        dt_trained=1.0,
        unit="sample",
        metric="accuracy",
        trivial_score=0.2,
        n_test=N,
        scores=rows,
    )


def make_baseline(task, score):
    return BaselineScore(
        **COMMON,
        name=f"baseline on {task}",
        task=task,
        seed=0,
        metric="accuracy",
        score=score,
        low=None,
        high=None,
        trivial_score=0.2,
        n_features=10,
        n_train=10,
        n_test=N,
        seconds=1.0,
    )


def make_continuity(task, value):
    """Only what a verdict reads of a task continuity."""
    return SimpleNamespace(kind="task-continuity", name=task, continuity=value)


def grid(scores):
    """Full runs for `{task: {layer: [score of each seed]}}`."""
    return [
        make_run(layer, task, seed, score)
        for task, layers in scores.items()
        for layer, values in layers.items()
        for seed, score in enumerate(values)
    ]


@pytest.fixture
def continuities():
    return [make_continuity("smooth", 0.99), make_continuity("rough", 0.02)]


HOLDS = {
    "smooth": {"s4d": [0.80, 0.81], "s6": [0.60, 0.61]},
    "rough": {"s4d": [0.50, 0.51], "s6": [0.50, 0.51]},
}


def alignment(results):
    return verdict(results).sentences[0]


def rates(results):
    return verdict(results).sentences[1]


def staging(results):
    return verdict(results).sentences[2]


def test_there_are_three_sentences_whatever_there_is():
    found = verdict([])
    assert [s.holds for s in found.sentences] == [None] * 3
    assert all("cannot be said" in s.text for s in found.sentences)
    assert read_result(found.to_json()) == found
    assert [row["claim"] for row in found.rows()] == [s.claim for s in found.sentences]
    assert found.to_arrow().num_rows == 3
    assert LABEL_NOTE in found.notes


def test_each_text_is_one_sentence():
    everything = [*grid(HOLDS), make_continuity("smooth", 0.9), make_continuity("rough", 0.1)]
    everything += [
        make_curve(m, "smooth", s, (0.8,) * 3, (0.3,) * 3) for m in ("s4d", "s6") for s in (0, 1)
    ]
    everything += [make_run("s4d", "smooth", s, 0.9, stages="2:1,1:1") for s in (0, 1)]
    for results in ([], everything):
        for sentence in verdict(results).sentences:
            assert sentence.text.endswith(".")
            assert ". " not in sentence.text


def test_the_law_held(continuities):
    found = alignment([*continuities, *grid(HOLDS)])
    assert found.holds is True
    assert found.text.startswith("The law of alignment held here")
    # skill: (.2 / .8) on the smooth task, nothing on the rough one
    assert "+0.25 on smooth" in found.text and "+0.00 on rough" in found.text
    assert "2 seeds" in found.text


def test_the_law_did_not_hold(continuities):
    swapped = {"smooth": HOLDS["rough"], "rough": HOLDS["smooth"]}
    found = alignment([*continuities, *grid(swapped)])
    assert found.holds is False
    assert found.text.startswith("The law of alignment did not hold here")


def test_the_law_cannot_be_told_within_noise(continuities):
    noisy = {t: {m: [0.4, 0.8] for m in ("s4d", "s6")} for t in ("smooth", "rough")}
    noisy["smooth"]["s4d"] = [0.5, 0.9]
    found = alignment([*continuities, *grid(noisy)])
    assert found.holds is None
    assert "cannot say" in found.text


def test_one_seed_cannot_tell(continuities):
    single = {t: {m: v[:1] for m, v in layers.items()} for t, layers in HOLDS.items()}
    found = alignment([*continuities, *grid(single)])
    assert found.holds is None
    assert "unknown noise" in found.text and "1 seed " in found.text


def test_the_law_needs_continuities_that_differ():
    for known in ([], [make_continuity("smooth", 0.9)], [make_continuity(t, 0.5) for t in HOLDS]):
        assert alignment([*known, *grid(HOLDS)]).holds is None


def test_the_smoothest_and_the_roughest_task_are_compared(continuities):
    middle = {"middle": {"s4d": [0.9, 0.9], "s6": [0.3, 0.3]}}
    results = [*grid(middle), *continuities, *grid(HOLDS), make_continuity("middle", 0.5)]
    assert "middle" not in alignment(results).text


def curves(s4d, s6, untold=(0.8, 0.3, 0.2)):
    return [
        make_curve(layer, "smooth", seed, [v + 0.01 * seed for v in told], untold)
        for layer, told in (("s4d", s4d), ("s6", s6))
        for seed in (0, 1)
    ]


@pytest.mark.parametrize(
    ("s4d", "s6", "holds", "words"),
    [
        ((0.7, 0.7, 0.7), (0.8, 0.6, 0.3), True, "S4D keeps more than S6"),
        ((0.8, 0.6, 0.3), (0.7, 0.7, 0.7), False, "S4D keeps less than S6"),
        ((0.8, 0.6, 0.3), (0.8, 0.6, 0.3), None, "cannot say which keeps more"),
    ],
)
def test_what_is_kept_at_other_rates(s4d, s6, holds, words):
    found = rates(curves(s4d, s6))
    assert found.holds is holds
    assert words in found.text
    first, second, last = (f"{v + 0.005:.2f}" for v in s4d)
    assert f"S4D goes from {first} to {second} and {last} told its step" in found.text
    assert "every 2nd and 4th sample" in found.text


def test_rates_need_both_layers_told_and_untold():
    whole = curves((0.7, 0.7, 0.7), (0.8, 0.6, 0.3))
    assert rates(whole[:2]).holds is None
    assert "cannot be said" in rates(whole[:2]).text


def race(layer, staged, full, *, staged_seconds=10.0, seeds=(0, 1)):
    runs = []
    for seed in seeds:
        s, f = staged + 0.02 * seed, full + 0.02 * seed
        history = ((staged_seconds / 4, s / 2), (staged_seconds / 2, s), (staged_seconds, s))
        runs.append(make_run(layer, "smooth", seed, f))
        runs.append(make_run(layer, "smooth", seed, s, stages="4:1,2:1,1:1", history=history))
    return runs


@pytest.mark.parametrize(
    ("staged", "full", "holds", "words"),
    [
        (0.8, 0.6, True, "Coarse stages first scored more on smooth"),
        (0.6, 0.8, False, "Coarse stages first scored less on smooth"),
        (0.7, 0.7, None, "cannot say whether coarse stages first score more"),
    ],
)
def test_what_stages_gave(staged, full, holds, words):
    found = staging(race("s4d", staged, full) + race("s6", staged, full))
    assert found.holds is holds
    assert words in found.text
    assert "stages of stride 4, 2, 1" in found.text


def test_layers_that_disagree_are_named():
    found = staging(race("s4d", 0.8, 0.6) + race("s6", 0.6, 0.8))
    assert found.holds is None
    assert "scored more for S4D and scored less for S6" in found.text


def test_scores_are_compared_when_the_shorter_training_ended():
    # the staged run is longer: at 10 s it is half way, and scores the same there
    found = staging(race("s4d", 0.8, 0.6, staged_seconds=20.0))
    assert "0.81 against 0.61" in found.text
    assert "after 10.0 s" in found.text
    # the full run has not finished its first epoch when a very short staged one ends
    short = staging(race("s4d", 0.8, 0.6, staged_seconds=4.0))
    assert "against 0.20" in short.text


def test_nothing_is_said_of_the_first_epoch_that_reached_a_score():
    # the earliest of many noisy scores is early by luck: only scores at equal time are compared
    text = staging(race("s4d", 0.8, 0.6)).text
    assert "(+0.20 ± 0.02 after 10.0 s)" in text
    assert "5.0 s" not in text and "touched" not in text


def test_a_baseline_that_is_not_beaten_is_named(continuities):
    results = [
        *continuities,
        *grid(HOLDS),
        make_baseline("smooth", 0.95),
        make_baseline("rough", 0.3),
    ]
    notes = [n for n in verdict(results).notes if "ridge" in n]
    assert len(notes) == 1
    assert "0.95" in notes[0] and "S4D, 0.81" in notes[0]


def test_networks_at_the_trivial_answer_are_named(continuities):
    scores = {**HOLDS, "rough": {"s4d": [0.5, 0.5], "s6": [0.21, 0.5]}}
    notes = verdict([*continuities, *grid(scores)]).notes
    assert any("S6 on rough" in note and "S4D" not in note for note in notes)
