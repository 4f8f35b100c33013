"""Assays of many sequence variants that mavenn carries: letters in, a number out."""

import gzip
from typing import Any

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.core.errors import DataError
from timegrain.data.card import DatasetCard
from timegrain.data.dataset import Dataset
from timegrain.data.sources.package import locate

# the published training and validation parts both train; the test part stays last
_PARTS = ("training", "validation", "test")


def read_mpsa() -> Dataset:
    """Return 5' splice sites and the logarithm of how often they splice.

    Raises:
        MissingPackageError: If mavenn is not installed.
    """
    return _variants("mpsa-rna", "mpsa_data.csv.gz", "ACGU", lambda t: _column(t, "y"))


def read_sortseq() -> Dataset:
    """Return promoters and the mean of the expression bins their cells were sorted into.

    Raises:
        MissingPackageError: If mavenn is not installed.
    """

    def mean_bin(table: Any) -> Float64[np.ndarray, " batch"]:
        counts = np.stack([_column(table, f"ct_{i}") for i in range(10)], axis=1)
        return (counts @ np.arange(10.0)) / counts.sum(axis=1)

    return _variants("sortseq-dna", "sortseq_data.csv.gz", "ACGT", mean_bin)


def _variants(name: str, file: str, alphabet: str, target: Any) -> Dataset:
    import pyarrow as pa
    from pyarrow import csv

    path = locate("mavenn", f"mavenn/examples/datasets/{file}")
    table = csv.read_csv(pa.BufferReader(gzip.decompress(path.read_bytes())))
    part = np.array(table.column("set").to_pylist())
    order = np.concatenate([np.flatnonzero(part == p) for p in _PARTS])
    tokens = _tokens(table.column("x").to_pylist(), alphabet, path.name)[order]
    return Dataset(
        name=name,
        sequences=tuple(tokens),
        labels=target(table)[order],
        n_train=int(np.sum(part != "test")),
        vocabulary=tuple(alphabet),
        kind="tokens",
    )


def _tokens(texts: list[str], alphabet: str, file: str) -> Int64[np.ndarray, "batch time"]:
    letters = np.array(texts).view("U1").reshape(len(texts), -1)
    tokens = np.full(letters.shape, -1, dtype=np.int64)
    for number, letter in enumerate(alphabet):
        tokens[letters == letter] = number
    if (tokens < 0).any():
        strange = letters[tokens < 0][0] or "a shorter sequence"
        raise DataError(f"{file} holds another letter", got=strange, expected=alphabet)
    return tokens


def _column(table: Any, name: str) -> Float64[np.ndarray, " batch"]:
    return np.asarray(table.column(name).to_numpy(), dtype=np.float64)


_MAVENN = "A. Tareen et al., MAVE-NN, Genome Biology 23 (2022) 98"

MPSA_RNA = DatasetCard(
    name="mpsa-rna",
    read=read_mpsa,
    source="M. S. Wong, J. B. Kinney and A. R. Krainer, Quantitative activity profile and context "
    f"dependence of all human 5' splice sites, Mol. Cell 71 (2018) 1012-1026; {_MAVENN}",
    package="mavenn",
    values="a letter of RNA",
    label="log10 of percent spliced in",
    unit="letter",
    kind="tokens",
    split="published",
)
SORTSEQ_DNA = DatasetCard(
    name="sortseq-dna",
    read=read_sortseq,
    source="J. B. Kinney, A. Murugan, C. G. Callan and E. C. Cox, Using deep sequencing to "
    f"characterize the biophysical mechanism of a transcriptional regulatory sequence, PNAS 107 "
    f"(2010) 9158-9163; {_MAVENN}",
    package="mavenn",
    values="a letter of DNA",
    label="mean expression bin, 0 to 9, weighted by counts",
    unit="letter",
    kind="tokens",
    split="published",
)
