"""A changed set has another version, and results say which."""

from dataclasses import replace

import numpy as np
import pytest

from timegrain import (
    baseline_score,
    build_model,
    dataset_continuity,
    dose_response,
    label_retention,
    load_dataset,
    load_task,
    train,
    transfer,
    window_profile,
)
from timegrain.data import Dataset
from timegrain.data.cards import task_cards
from timegrain.data.catalogue import card as dataset_card
from timegrain.data.generated import case_numbers
from timegrain.data.generated.parts import PARTS
from timegrain.data.tasks import make_task

# Of each set its version, and a number that its first cases give; see `fingerprint`. Where a test
# fails because the cases are meant to be others: raise the version in the card, and
# put both here.
PINNED = {
    "ArrowHead": (1, 0.402349851071),
    "BasicMotions": (1, -91.463243381),
    "GunPoint": (1, -5.22280714271),
    "ItalyPowerDemand": (1, -0.886263768216),
    "JapaneseVowels": (1, 19.6536336324),
    "OSULeaf": (1, 32.7851239509),
    "PickupGestureWiimoteZ": (1, -3.21720435926),
    "PigCVP": (1, 323.772868829),
    "a5-state": (1, 90.8030161653),
    "damped-forecast": (1, 124.424046349),
    "damped-inference": (1, 18.6846404082),
    "double-pendulum-forecast": (1, -18.9939229983),
    "double-pendulum-inference": (1, -8.55034308629),
    "duffing-forecast": (1, 29.3037070256),
    "duffing-inference": (1, 1.60040255348),
    "dyck": (1, -73.7747572941),
    "ecg": (1, 119.458796991),
    "induction-heads": (1, 30.7957402263),
    "kuramoto-forecast": (1, -2.59411694942),
    "kuramoto-inference": (1, 2.50113418232),
    "listops": (1, -59.6248560505),
    "lorenz": (1, 1.52977551894),
    "lorenz-forecast": (1, -26.2232724618),
    "lorenz-inference": (1, 193.266932909),
    "lorenz96-forecast": (1, -81.5774185527),
    "lorenz96-inference": (1, -31.0351920427),
    "lra-listops": (1, 301.268437607),
    "mnist-column": (1, 10.7327350477),
    "mnist-permuted": (1, 15.0200067078),
    "mnist-row": (1, 11.563799961),
    "modular-addition": (1, 34.1402211242),
    "mpsa-rna": (1, -5.90498789344),
    "mqar": (1, -163.810037271),
    "ou-forecast": (1, -149.286242241),
    "ou-inference": (1, 0.169651828869),
    "parity": (1, -15.2448044625),
    "path-x": (1, -0.611560822486),
    "pathfinder": (1, 3.83055320373),
    "roessler-forecast": (1, -130.70202508),
    "roessler-inference": (1, -193.57792255),
    "s5-state": (1, -175.536503226),
    "seattle-temps": (1, 4209.72236164),
    "selective-copy-last": (1, -50.3474189242),
    "selective-copying": (1, -53.886065594),
    "sortseq-dna": (1, 2.96696804495),
    "stocks-level": (1, 861.198878971),
    "stocks-return": (1, 0.558196386229),
    "van-der-pol": (1, -23.8211782736),
    "vdp-forecast": (1, 125.467187419),
    "vdp-inference": (1, 4.58872023611),
    "weather": (1, 130520.873969),
}
# over so many samples chaos makes a last bit, 1e-16, no larger than about 1e-8
N_SAMPLES = 256


def fingerprint(sequences, labels):
    """A weighted sum of samples and labels: another one if any of them is, or their order."""
    values = np.concatenate(
        [
            np.nan_to_num(np.asarray(array, dtype=np.float64)).ravel()
            for array in (*sequences, *(() if labels is None else labels))
        ]
    )
    return float(values @ np.cos(1 + 0.7 * np.arange(len(values)) ** 1.5))


def first_cases(name):
    """The first and the last case of a set, or the first ones of each part."""
    generator = dataset_card(name).generator
    if generator is None:
        data = load_dataset(name)
        chosen = sorted({0, 1, len(data) // 2, len(data) - 1} & set(range(len(data))))
        labels = None if data.labels is None else [data.labels[i] for i in chosen]
        return [data.sequences[i] for i in chosen], labels
    sizes = {part: getattr(generator, f"n_{part}") for part in PARTS}
    index = np.concatenate([case_numbers(part, min(n, 2)) for part, n in sizes.items()])
    made = generator.cases(index)
    return [s[:N_SAMPLES] for s in made.sequences], list(made.labels)


def test_every_card_is_pinned():
    # others hold what is on the machine: in its Python, its programs and its folders
    own = {card.name for card in task_cards() if card.origin in ("package", "generated")}
    assert set(PINNED) == own


@pytest.mark.parametrize(
    "card", [c for c in task_cards() if c.name in PINNED], ids=lambda c: c.name
)
def test_a_changed_set_has_another_version(card):
    version, number = PINNED[card.name]
    found = fingerprint(*first_cases(card.name))
    assert card.version == version
    # what is read is the same everywhere; what is computed differs by how a machine rounds
    rel = 1e-9 if card.origin == "package" else 1e-6
    assert found == pytest.approx(number, rel=rel, abs=rel), "raise the version"


def test_a_fingerprint_tells_a_moved_sample_a_label_and_an_order():
    sequences, labels = [np.arange(6.0).reshape(3, 2), np.ones((4, 2))], [0, 1]
    known = fingerprint(sequences, labels)
    moved = [sequences[0], sequences[1] + 1e-4]
    for other in (
        fingerprint(moved, labels),
        fingerprint(sequences[::-1], labels),
        fingerprint(sequences, [1, 0]),
        fingerprint(sequences, None),
    ):
        assert other != pytest.approx(known, rel=1e-6, abs=1e-6)
    assert fingerprint(sequences, labels) == known


@pytest.fixture(scope="module")
def task():
    return load_task("ItalyPowerDemand")


def few(task):
    return replace(task, test=task.test.take(np.arange(30)))


def test_results_say_the_version(task):
    data = task.dataset
    model = build_model("gru", d_input=1, d_output=2, d_model=4, n_layers=1, seed=0)
    results = [
        dataset_continuity(data),
        dose_response(data, {"window_shuffle": (1, 4)}),
        window_profile(data, windows=(8, 12)),
        label_retention(data, strides=(2,), repeats=1, max_cases=60),
        baseline_score(few(task), n_features=84),
        train(model, few(task), epochs=1),
        transfer(model, few(task), strides=(1, 2)),
    ]
    for result in results:
        assert result.provenance.parameters["data_version"] == data.version == 1, result.kind
        assert result.to_dict()["provenance"]["parameters"]["data_version"] == 1


def test_a_changed_version_is_carried_on(task):
    other = replace(task.dataset, version=7)
    assert dataset_continuity(other).provenance.parameters["data_version"] == 7
    assert other.permuted().version == 7
    assert make_task(other).dataset.versioned == {"data_version": 7}


def test_data_of_ones_own_have_no_version():
    mine = Dataset(name="mine", sequences=(np.random.default_rng(0).normal(size=(200, 1)),))
    assert mine.version is None
    assert "data_version" not in dataset_continuity(mine).provenance.parameters
