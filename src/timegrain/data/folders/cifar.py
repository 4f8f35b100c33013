"""CIFAR-10 in its binary version, each image read as a sequence of pixels."""

from pathlib import Path

import numpy as np
from jaxtyping import Float32, Int64

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.folders.inside import count_note, needed
from timegrain.data.memory import check_fits
from timegrain.data.readers.place import printable

PIXELS = 32 * 32
RECORD = 1 + 3 * PIXELS
BATCHES = tuple(f"data_batch_{i}.bin" for i in range(1, 6))
TEST_BATCH = "test_batch.bin"
NAMES_FILE = "batches.meta.txt"
CLASSES = (
    "airplane",
    "automobile",
    "bird",
    "cat",
    "deer",
    "dog",
    "frog",
    "horse",
    "ship",
    "truck",
)
# ITU-R BT.601, as usual for these images
LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)
SOURCE = (
    "A. Krizhevsky, Learning multiple layers of features from tiny images, technical report, "
    "University of Toronto (2009); its CIFAR-10"
)


def read_cifar10(folder: Path) -> Dataset:
    """Return the images row by row, three colours a pixel.

    Args:
        folder: `cifar-10-batches-bin`: `data_batch_1.bin` to `data_batch_5.bin`, `test_batch.bin`.

    Raises:
        DataError: If a batch is missing, damaged or a pickle.
    """
    return _read(folder, gray=False)


def read_cifar10_gray(folder: Path) -> Dataset:
    """Return the images row by row, the brightness of a pixel alone: .299 R + .587 G + .114 B.

    Args:
        folder: As for `read_cifar10`.

    Raises:
        DataError: As `read_cifar10` does.
    """
    return _read(folder, gray=True)


def _read(folder: Path, *, gray: bool) -> Dataset:
    _refuse_pickles(folder)
    files = needed(folder, (*BATCHES, TEST_BATCH), "CIFAR-10, binary version")
    counts = [_count(file) for file in files]
    width = 1 if gray else 3
    check_fits(4 * sum(counts) * PIXELS * width, "all images of CIFAR-10")
    pixels = np.empty((sum(counts), PIXELS, width), dtype=np.float32)
    labels = np.empty(sum(counts), dtype=np.int64)
    at = 0
    for file, count in zip(files, counts, strict=True):
        pixels[at : at + count], labels[at : at + count] = _batch(file, gray=gray)
        at += count
    n_train = sum(counts[:-1])
    got = {"train": n_train, "test": counts[-1]}
    return Dataset(
        name="cifar10-gray" if gray else "cifar10",
        sequences=tuple(pixels),
        labels=labels,
        class_names=_classes(folder / NAMES_FILE),
        n_train=n_train,
        channel_names=("brightness",) if gray else ("red", "green", "blue"),
        unit="pixel",
        source=SOURCE,
        notes=count_note(got, {"train": 50_000, "test": 10_000}),
    )


def _refuse_pickles(folder: Path) -> None:
    first = folder / BATCHES[0]
    if first.exists() or not first.with_suffix("").is_file():
        return
    raise DataError(
        f"{printable(str(folder))} holds the Python version of CIFAR-10, whose files run code when "
        "they are opened (pickles)",
        expected=", ".join((*BATCHES, TEST_BATCH)),
        hint="cifar-10-binary.tar.gz, the binary version",
    )


def _count(file: Path) -> int:
    if file.is_dir():
        raise DataError(
            f"{file.name} is a folder, no batch of CIFAR-10", hint="unpacking the archive again"
        )
    size = file.stat().st_size
    if not size or size % RECORD:
        raise DataError(
            f"{file.name} is cut short, or no batch of CIFAR-10",
            got=f"{size:,} bytes",
            expected=f"a multiple of {RECORD:,}: a label and {RECORD - 1:,} bytes of an image each",
            hint="unpacking the archive again",
        )
    return size // RECORD


def _batch(
    file: Path, *, gray: bool
) -> tuple[Float32[np.ndarray, "image pixel channel"], Int64[np.ndarray, " image"]]:
    records = np.frombuffer(file.read_bytes(), dtype=np.uint8).reshape(-1, RECORD)
    labels = records[:, 0].astype(np.int64)
    if labels.max() >= len(CLASSES):
        image = int((labels >= len(CLASSES)).argmax())
        raise DataError(
            f"{file.name}, image {image}: no such class",
            got=int(labels[image]),
            expected=f"0..{len(CLASSES) - 1}",
            hint="the CIFAR-10 archive; the records of CIFAR-100 are others",
        )
    # stored a colour after the other
    colours = records[:, 1:].reshape(-1, 3, PIXELS).transpose(0, 2, 1).astype(np.float32)
    colours /= 255
    return (colours @ LUMA[:, None] if gray else colours), labels


def _classes(file: Path) -> tuple[str, ...]:
    if not file.exists():
        return CLASSES
    names = tuple(file.read_text(encoding="utf-8", errors="replace").split())
    if len(names) != len(CLASSES):
        raise DataError(
            f"{file.name} names other classes", got=len(names), expected=f"{len(CLASSES)} names"
        )
    return tuple(printable(name) for name in names)
