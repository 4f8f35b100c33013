import pytest

from timegrain.core.errors import DataError
from timegrain.data import load_dataset, load_task


def text(data, i):
    return bytes(data.sequences[i].tolist())


def test_reviews_are_bytes_in_the_order_of_their_ids(imdb):
    data = load_dataset(imdb)
    assert [text(data, i) for i in range(5)] == [
        b"bad film",
        b"no<br />",
        b"worse",
        "très bon".encode(),
        b"dull",
    ]
    assert data.labels.tolist() == [0, 0, 0, 1, 0, 1]
    assert (data.n_train, data.kind, len(data.vocabulary)) == (4, "tokens", 256)
    assert data.ids[2] == "train/neg/10_1"


def test_long_reviews_are_cut_and_counted(imdb):
    data = load_dataset(imdb)
    assert text(data, 5) == (b"good " * 1000)[:4096]
    assert "1 of 6 reviews were cut to their first 4,096 bytes" in data.notes


def test_it_is_a_task_that_fits_into_memory_when_lazy(imdb):
    task = load_task(imdb, lazy=True)
    assert task.train.x.shape == (4, 4096, 256)
    row = task.train.x.read(task.train.index[:1], 0, 3)[0]
    assert row.argmax(axis=1).tolist() == list(b"bad")


@pytest.mark.parametrize("lost", ["test", "train/pos"])
def test_a_missing_part_is_named(imdb, lost):
    (imdb / lost).rename(imdb / "elsewhere")
    with pytest.raises(DataError, match=f"aclImdb lacks {lost}"):
        load_dataset(imdb)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("train/neg/0_1.txt", b"again", r"train/neg holds the ID 0 twice, got 0_1.txt and 0_3.txt"),
        ("test/pos/1_4.txt", b"bad", r"test/pos holds a review with other stars, got 1_4.txt"),
        ("test/pos/notes.md", b"?", r"test/pos holds a file that is no review, got notes.md"),
        ("train/pos/7_8.txt", b"", r"train/pos/7_8.txt holds no review, got 0 bytes"),
    ],
)
def test_what_is_no_review_is_told(imdb, name, content, message):
    (imdb / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        load_dataset(imdb)


def test_an_empty_class_is_told(imdb):
    (imdb / "test/neg/0_2.txt").unlink()
    with pytest.raises(DataError, match="test/neg holds no review"):
        load_dataset(imdb)
