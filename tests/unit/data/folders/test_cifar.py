import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.data import load_dataset, load_task


def test_pixels_are_read_row_by_row_in_three_colours(cifar):
    data = load_dataset(cifar)
    assert (data.name, len(data), data.n_train) == ("cifar10", 12, 10)
    assert data.labels.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]
    assert data.class_names[3] == "cat"
    image = data.sequences[11].astype(np.float64) * 255
    # half a unit in the last place of float32 at 111 is 4e-6
    np.testing.assert_allclose(image[:, 0], 11, atol=1e-5)
    np.testing.assert_allclose(image[:, 1], 111, atol=1e-5)
    np.testing.assert_allclose(image[:, 2], np.tile(np.arange(32), 32), atol=1e-5)
    assert "not the published set: 10 to train (50,000 published)" in data.notes[0]


def test_gray_is_the_brightness(cifar):
    data = load_dataset(f"cifar10-gray:{cifar}")
    expected = (0.299 * 4 + 0.587 * 104 + 0.114 * np.tile(np.arange(32), 32)) / 255
    np.testing.assert_allclose(data.sequences[4][:, 0], expected, rtol=1e-6)
    assert (data.name, data.channel_names) == ("cifar10-gray", ("brightness",))


def test_it_is_a_task(cifar):
    task = load_task(cifar)
    assert (task.train.x.shape, task.n_classes, task.metric) == ((10, 1024, 3), 10, "accuracy")


def test_names_of_classes_may_be_missing_but_not_wrong(cifar):
    names = cifar / "batches.meta.txt"
    names.write_text("only one\n")
    with pytest.raises(DataError, match=r"batches.meta.txt names other classes, got 2"):
        load_dataset(cifar)
    names.unlink()
    assert load_dataset(cifar).class_names[9] == "truck"


def test_a_missing_batch_is_named(cifar):
    (cifar / "data_batch_3.bin").unlink()
    with pytest.raises(DataError, match=r"cifar-10-batches-bin lacks data_batch_3.bin, got"):
        load_dataset(cifar)


def test_a_batch_cut_short_is_told(cifar):
    batch = cifar / "test_batch.bin"
    batch.write_bytes(batch.read_bytes()[:-1])
    with pytest.raises(DataError, match=r"test_batch.bin is cut short.*got 6,145 bytes"):
        load_dataset(cifar)


def test_a_class_that_does_not_exist_is_told(cifar):
    batch = cifar / "data_batch_2.bin"
    raw = bytearray(batch.read_bytes())
    raw[3073] = 10
    batch.write_bytes(raw)
    with pytest.raises(DataError, match=r"data_batch_2.bin, image 1: no such class, got 10"):
        load_dataset(cifar)


def test_pickles_are_not_opened(tmp_path):
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    (folder / "data_batch_1").write_bytes(b"\x80\x04cos\nsystem\n.")
    with pytest.raises(DataError, match=r"(?s)pickles.*Try cifar-10-binary.tar.gz"):
        load_dataset(folder)


def test_a_folder_in_the_place_of_a_batch_is_told(cifar):
    (cifar / "test_batch.bin").unlink()
    (cifar / "test_batch.bin").mkdir()
    with pytest.raises(DataError, match=r"test_batch.bin is a folder, no batch of CIFAR-10"):
        load_dataset(cifar)
