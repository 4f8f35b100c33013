"""Sources that keep the contract pass, and each way to break it is found by its check."""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from timegrain.core.errors import ConfigError, DataError, UnknownNameError
from timegrain.core.outcome import Outcome
from timegrain.data import Dataset, SourceCheck, check_source, load_dataset, source_checks
from timegrain.data.generated import Cases, case_streams, part_of
from timegrain.data.source_check.contract import recordings, splits


def broken(generator, change):
    """The generator with what it makes changed: `change(cases, index, seed)`."""

    def make(index, *, seed, **options):
        return change(generator.make(index, seed=seed, **options), index, seed)

    return replace(generator, make=make)


def failures(source, **options):
    return {row.label for row in check_source(source, **options).failures}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("walk", {}),
        ("walk", {"lengthen": True}),
        ("echo", {"kinds": 5}),
        ("echo", {"each": True}),
    ],
)
@pytest.mark.usefixtures("registered")
def test_a_generated_set_keeps_the_contract(name, options):
    found = check_source(name, **options)
    assert found.failures == ()
    assert found.outcome is Outcome.KEEPS_CONTRACT
    assert found.made
    assert {row.check for row in found.checks} == set(source_checks())
    assert found.provenance.parameters["source"] == name
    found.raise_if_failed()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ItalyPowerDemand", {}),
        ("JapaneseVowels", {}),
        ("ecg", {"window": 360, "ahead": 1}),
        ("stocks-level", {"window": 24, "ahead": 1}),
    ],
)
def test_a_shipped_set_keeps_the_contract(name, options):
    found = check_source(name, **options)
    assert found.failures == ()
    verdicts = {row.label: row.verdict for row in found.checks}
    assert verdicts["metric perfect"] == "passed"
    assert verdicts["determinism by number"] == "not applicable"


def test_what_has_no_labels_is_asked_what_it_can_answer():
    found = check_source("ecg")
    assert found.passed
    reasons = {row.label: row.reason for row in found.checks if row.verdict == "not applicable"}
    assert "has no labels to learn" in reasons["metric"]


def test_labels_that_cannot_be_learnt_are_no_lack_of_labels():
    rows = tuple(np.random.default_rng(0).normal(size=(8, 5, 1)))
    alike = Dataset(name="one", sequences=rows, labels=np.zeros(8, int), class_names=("a", "b"))
    assert failures(alike) == {"labels task"}


def test_a_case_that_depends_on_those_beside_it(walk):
    def lean(cases, index, seed):
        return replace(cases, sequences=cases.sequences + 1e-12 * len(index))

    found = failures(broken(walk, lean), only=("determinism",))
    assert {"determinism alone", "determinism one case twice"} <= found


def test_a_case_that_depends_on_its_place(walk):
    def placed(cases, index, seed):
        return replace(cases, sequences=cases.sequences + np.arange(len(index))[:, None, None])

    assert "determinism other order" in failures(broken(walk, placed), only=("determinism",))


def test_a_case_that_is_drawn_anew(walk):
    draw = np.random.default_rng(0)

    def anew(cases, index, seed):
        return replace(cases, sequences=cases.sequences + draw.random())

    assert "determinism twice" in failures(broken(walk, anew), only=("determinism",))


def test_a_seed_without_effect_and_the_global_generator(walk):
    def deaf(cases, index, seed):
        np.random.random()  # noqa: NPY002 (what is to be found)
        return walk.make(index, seed=0, **walk.settings)

    found = failures(broken(walk, deaf), only=("determinism",))
    assert {"determinism another seed", "determinism global generator"} <= found


@pytest.mark.parametrize(
    "touch",
    [
        lambda: np.random.seed(3),  # noqa: NPY002
        lambda: random.seed(3),
        lambda: random.random(),
        lambda: torch.manual_seed(3),
    ],
)
def test_a_source_that_touches_what_a_process_shares_is_found(walk, touch):
    def seeded(cases, index, seed):
        touch()
        return cases

    found = failures(broken(walk, seeded), only=("determinism",))
    assert found == {"determinism global generator"}


def test_answers_that_are_not_those_of_the_cases(walk):
    def other(index, *, seed, **options):
        return walk.make(index, seed=seed, **options).labels + 1, None

    wrong = replace(walk, answers=other)
    assert {"determinism answers", "lazily answers"} <= failures(wrong)


@pytest.mark.parametrize(
    ("change", "label"),
    [
        (lambda c: replace(c, sequences=c.sequences.astype(np.float32)), "shapes cases"),
        (lambda c: replace(c, labels=np.stack([c.labels] * 2, axis=1)), "shapes cases"),
        (lambda c: replace(c, lengths=c.lengths - 1), "lengths cases"),
    ],
)
def test_arrays_that_are_not_what_was_promised(walk, change, label):
    assert label in failures(broken(walk, lambda cases, *_: change(cases)))


def test_a_sample_that_is_missing_is_a_failure_of_what_makes_it(walk):
    def gap(cases, index, seed):
        x = cases.sequences.copy()
        x[0, 3, 1] = np.nan
        return replace(cases, sequences=x)

    assert "finite samples" in failures(broken(walk, gap), only=("finite",))


def test_a_symbol_that_does_not_exist(echo):
    found = check_source(broken(echo, lambda c, *_: replace(c, sequences=c.sequences + 1)))
    assert [row.label for row in found.failures] == ["loading"]
    assert "not in its vocabulary" in found.failures[0].reason
    assert found.outcome is Outcome.BREAKS_CONTRACT
    assert SourceCheck.from_dict(json.loads(found.to_json())) == found


def test_labels_that_never_vary(walk):
    def flat(cases, index, seed):
        return replace(cases, labels=np.ones(len(index)))

    (row,) = check_source(broken(walk, flat), only=("grid",)).failures
    assert "do not vary" in row.reason


def none_at_all(cases, index, seed):
    raise RuntimeError("no such luck")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda *_: None, "made no cases, got NoneType"),
        (lambda c, *_: replace(c, sequences=c.sequences[1:]), "made other cases than were asked"),
        (none_at_all, "cannot make its cases, got RuntimeError: no such luck (test_check_source"),
        (lambda c, *_: replace(c, sequences=c.sequences.astype(str)), "got <U32"),
    ],
)
def test_a_source_that_makes_no_cases_fails_and_raises_nothing(walk, change, reason):
    found = check_source(broken(walk, change))
    assert [row.label for row in found.failures] == ["loading"]
    assert reason.split(" (")[0] in found.failures[0].reason


def test_few_cases_stand_in_two_parts_unless_each_has_its_own(echo):
    small = echo.turned(length=3, kinds=2)
    assert "splits equal cases" in failures(small, only=("splits",))

    def own(index, *, seed, length, kinds, each):
        # the first symbol says whose it is
        x = np.stack([r.integers(0, kinds, length) for r in case_streams(seed, "own", index)])
        x[:, 0] = part_of(index)
        return Cases(sequences=x, labels=x.sum(1) % kinds)

    split = replace(echo.turned(length=3, kinds=3), make=own)
    assert failures(split, only=("splits",)) == set()


def test_test_cases_that_move_with_the_size_of_the_training_part(walk):
    class Moving(type(walk)):
        def cases(self, index, *, seed=0):
            return super().cases(index + self.n_train, seed=seed)

    fields = {name: getattr(walk, name) for name in walk.__dataclass_fields__}
    assert "splits sizes" in failures(Moving(**fields), only=("splits",))


def test_equal_sequences_of_a_published_split_are_told():
    x = tuple(np.full((4, 1), float(i % 5)) + np.arange(4.0)[:, None] for i in range(8))
    data = Dataset(
        name="twins",
        sequences=x,
        labels=np.arange(8) % 2,
        class_names=("a", "b"),
        n_train=4,
    )
    rows = {row.label: row for row in check_source(data).checks}
    assert rows["splits equal cases"].verdict == "noted"
    assert "3 in train and test" in rows["splits equal cases"].reason
    own = {row.label for row in check_source(replace(data, n_train=None)).failures}
    assert own <= {"splits equal cases"}


def test_a_person_on_both_sides_is_found():
    draw = np.random.default_rng(0)
    data = Dataset(
        name="people",
        sequences=tuple(draw.normal(size=(6, 1)) for _ in range(10)),
        labels=np.arange(10) % 2,
        class_names=("a", "b"),
        groups=np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]),
        n_train=5,
    )
    found = check_source(data)
    assert [row.label for row in found.failures] == ["recordings group"]
    assert "1 of 5 stand on both sides" in found.failures[0].reason
    with pytest.raises(DataError, match="recordings group"):
        found.raise_if_failed()
    assert check_source(replace(data, n_train=None)).passed


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [([0, 1], [3], False), ([0, 2], [1], True), ([0, 1], [2], True), ([3], [0], False)],
)
def test_windows_that_share_a_sample(one, other, shared):
    # windows of 4 samples from 0, 2, 5 and 9 on, whose targets look 1 ahead
    data = Dataset(
        name="w",
        sequences=tuple(np.zeros((4, 1)) for _ in range(4)),
        ids=("r",) * 4,
        starts=np.array([0, 2, 5, 9]),
    )
    found = recordings._overlap(data, np.array(one), np.array(other), 1)
    spans = [set(range(s, s + 5)) for s in (0, 2, 5, 9)]
    assert found == any(spans[i] & spans[j] for i in one for j in other) == shared


def test_what_a_source_raises_is_its_failure(walk, monkeypatch):
    def only_together(cases, index, seed):
        if len(index) == 1 and index[0] > 5:
            raise KeyError("lonely")
        return cases

    row = check_source(broken(walk, only_together), only=("determinism",)).failures[0]
    assert "KeyError" in row.reason
    assert row.check == "determinism"


def test_words_are_checked(walk):
    with pytest.raises(UnknownNameError, match="there is no check called 'split'"):
        check_source(walk, only="split")
    with pytest.raises(ConfigError, match="no check is left"):
        check_source(walk, only="grid", skip="grid")
    with pytest.raises(ConfigError, match="'walk' has no option 'wide'"):
        check_source(walk, wide=3)
    with pytest.raises(ConfigError, match="checked as it is"):
        check_source(load_dataset("GunPoint"), window=3)
    with pytest.raises(ConfigError, match="before a dial is turned"):
        check_source(walk, noise=3)
    with pytest.raises(ConfigError, match=r"checked before they are cut.*window=8, ahead=1"):
        check_source(walk, window=8, ahead=1)
    with pytest.raises(ConfigError, match="a whole number >= 2"):
        check_source(walk, cases=1)
    with pytest.raises(UnknownNameError):
        check_source("no-such-set")


def test_a_result_is_written_and_read(walk):
    said = []
    found = check_source(walk, skip="lazily", progress=said.append)
    assert said[0] == "walk: shapes passed"
    assert found.notes == ("Not run: lazily.",)
    again = SourceCheck.from_dict(json.loads(found.to_json()))
    assert again == found
    assert "keeps the part of the contract that applies" in repr(found)
    assert "FAILED" not in repr(found)
    assert len(found.rows()) == len(found.checks)
    assert set(found.rows()[0]) == {"check", "case", "verdict", "reason", "cure"}


def test_each_check_says_what_it_asks():
    for text in source_checks().values():
        assert text.endswith(".")
    assert splits.__doc__ == source_checks()["splits"]


@pytest.mark.parametrize("form", [str, Path])
def test_a_path_is_named_by_its_last_part(form, tmp_path):
    folder = tmp_path / "somewhere"
    folder.mkdir()
    np.save(folder / "plan.npy", np.random.default_rng(0).standard_normal((4, 8, 1)))
    found = check_source(form(folder / "plan.npy"))
    assert found.name == found.provenance.parameters["source"] == "plan.npy"
    assert str(tmp_path) not in found.to_json()
