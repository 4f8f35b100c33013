"""Every shipped set has a card, and what it says of the set is so."""

import importlib.metadata
import pickle

import numpy as np
import pytest

from timegrain.core.errors import UnknownNameError
from timegrain.data import datasets, load_dataset, load_task
from timegrain.data.cards import task_card, task_cards
from timegrain.data.cards.shelf import version_of
from timegrain.data.catalogue import card as dataset_card
from timegrain.data.folders.layouts import layouts
from timegrain.data.sources.package import VERSIONS

CARDS = {card.name: card for card in task_cards()}
# those that are loaded whole in no time; the others are made by number
HELD = [n for n in datasets.names() if n in CARDS and dataset_card(n).generator is None]
MADE = [n for n in datasets.names() if n in CARDS and dataset_card(n).generator is not None]


def test_every_shipped_set_has_a_card_and_every_card_a_set():
    folders = {name for name, card in CARDS.items() if card.origin == "folder"}
    assert set(CARDS) - folders == set(datasets.names())
    assert folders == set(layouts.names())


def test_an_unknown_name_is_told_its_nearest():
    with pytest.raises(UnknownNameError, match=r"(?s)no card called 'gunpoint'.*Try GunPoint"):
        task_card("gunpoint")
    assert version_of("gunpoint") is None


@pytest.mark.parametrize("name", HELD)
def test_sizes_are_those_of_the_set(name):
    card, size = CARDS[name], CARDS[name].size
    about = dataset_card(name)
    assert card.package == about.package
    if size is None:
        assert card.origin in ("machine", "folder")
        return
    data = load_dataset(name)
    assert (len(data), data.lengths.min(), data.lengths.max()) == (
        size.sequences,
        size.shortest,
        size.longest,
    )
    width = len(data.vocabulary) if data.kind == "tokens" else data.n_channels
    assert (data.kind, width, data.dt, data.unit) == (size.kind, size.width, size.dt, size.unit)
    assert data.version == card.version


@pytest.mark.parametrize("name", [n for n in HELD if CARDS[n].problem and CARDS[n].size])
def test_what_is_asked_is_what_is_loaded(name):
    asked = CARDS[name].problem
    task = load_task(name, **asked.words)
    validation = 0 if task.validation is None else len(task.validation)
    assert (len(task.train), validation, len(task.test)) == (
        asked.train,
        asked.validation,
        asked.test,
    )
    assert (task.target_kind, task.n_classes, task.n_outputs, task.metric) == (
        asked.target,
        asked.classes,
        asked.outputs,
        asked.metric,
    )
    # three digits are printed
    assert task.trivial_score == pytest.approx(asked.trivial, abs=5.01e-4)


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_by_number_is_as_the_card_says(name):
    card, generator = CARDS[name], dataset_card(name).generator
    size, asked = card.size, card.problem
    assert card.origin in ("generated", "machine")
    assert (size.dt, size.unit, size.kind) == (generator.dt, generator.unit, generator.kind)
    parts = (generator.n_train, generator.n_validation, generator.n_test)
    assert (asked.train, asked.validation, asked.test) == parts
    assert size.sequences == sum(parts)
    assert (asked.target, asked.metric) == (generator.target.split("-")[0], generator.metric)
    assert asked.per_sample == generator.per_sample
    made = generator.cases(np.arange(8))
    assert size.shortest <= made.known.min() <= made.known.max() <= size.longest
    if generator.kind == "tokens":
        assert size.symbols == generator.n_symbols
        assert made.sequences.max() < size.symbols
    else:
        assert size.channels == made.sequences.shape[2]
    if asked.target == "class":
        assert asked.classes == len(generator.class_names)
    elif not asked.per_sample:
        assert asked.outputs == np.prod(made.labels.shape[1:], dtype=int)


def test_packages_are_those_that_sets_are_read_from():
    assert {card.package for card in CARDS.values()} - {""} == set(VERSIONS)
    assert all(importlib.metadata.version(package) for package in VERSIONS)


def test_published_scores_are_no_percentages_and_say_where_they_stand():
    scores = [score for card in CARDS.values() for score in card.literature]
    assert scores
    for score in scores:
        assert any(year in score.source for year in map(str, range(1990, 2030)))


# their cases take long to draw: the pins of the first ones are enough
SLOW = ("path", "lra", "kuramoto-forecast")
QUICK = [n for n in MADE if CARDS[n].origin == "generated" and not n.startswith(SLOW)]


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_the_trivial_score_is_that_of_what_is_made(name):
    asked = CARDS[name].problem
    task = load_task(name, n_validation=0, lazy=True)
    assert (len(task.train), len(task.test)) == (asked.train, asked.test)
    assert task.trivial_score == pytest.approx(asked.trivial, abs=5.01e-4)


def test_a_card_is_read_only_and_travels():
    card = task_card("ecg")
    with pytest.raises(TypeError):
        card.problem.words["window"] = 3
    assert pickle.loads(pickle.dumps(card)) == card
    with pytest.raises(UnknownNameError, match="no card called None"):
        task_card(None)
