import pytest

from timegrain.core.errors import DataError
from timegrain.data import load_dataset, load_task


def pieces(data, i):
    """The two texts of a case, found at its separator."""
    tokens = data.sequences[i].tolist()
    at = tokens.index(256)
    return bytes(tokens[:at]), bytes(tokens[at + 1 :])


def test_pairs_are_bytes_with_a_separator_as_they_stand(aan):
    data = load_dataset(aan)
    assert pieces(data, 0) == (b"b'ab'", b"b'c'")
    assert pieces(data, 1) == (b"b'ab'", b"b'd \"q'")
    assert data.labels.tolist() == [1, 0, 0, 1]
    assert (data.n_train, data.n_validation, len(data.vocabulary)) == (2, 1, 257)
    assert "a network each by itself" in " ".join(data.notes)


def test_a_text_is_cut_at_four_thousand_bytes(aan):
    assert pieces(load_dataset(aan), 3) == (b"b'g'", b"h" * 4000)


def test_it_is_a_task_with_three_parts(aan):
    task = load_task(aan, lazy=True)
    assert [len(p) for p in (task.train, task.validation, task.test)] == [2, 1, 1]


@pytest.mark.parametrize("part", ["train", "eval", "test"])
def test_a_missing_part_is_named(aan, part):
    (aan / f"new_aan_pairs.{part}.tsv").unlink()
    with pytest.raises(DataError, match=f"tsv_data lacks new_aan_pairs.{part}.tsv"):
        load_dataset(aan)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "1.0\tP1\tP2\tonly one text",
            r"new_aan_pairs.eval.tsv, line 2: other columns.*got 4 cells",
        ),
        ("P1\tP2\t1.0\ta\tb", r"line 2: the first column is no label, got 'P1', expected 0.0 or"),
        ("1\tP1\tP2\t\t", r"line 2: both texts are empty"),
        ("label\tid1\tid2\ttext1\ttext2", r"line 2: the first column is no label, got 'label'"),
    ],
)
def test_other_columns_are_told_with_their_line(aan, line, message):
    with (aan / "new_aan_pairs.eval.tsv").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(DataError, match=message):
        load_dataset(aan)


def test_an_empty_part_is_told(aan):
    (aan / "new_aan_pairs.eval.tsv").write_text("\n")
    with pytest.raises(DataError, match=r"new_aan_pairs.eval.tsv holds no pair"):
        load_dataset(aan)


def test_pairs_that_are_met_again_are_counted(aan):
    with (aan / "new_aan_pairs.eval.tsv").open("a") as file:
        # the papers of a training pair, the other way round; and one pair twice
        file.write("1.0\tP2\tP1\ta\tb\n1.0\tP8\tP9\ta\tb\n0.0\tP8\tP9\ta\tb\n")
    with (aan / "new_aan_pairs.test.tsv").open("a") as file:
        file.write("1.0\tP1\tP2\ta\tb\n")  # the same pair a third time is one pair
    notes = load_dataset(aan).notes
    assert "pairs of papers that stand in more than one part: 1" in notes
    assert "pairs of papers that stand in a part more than once: 1" in notes
    assert "pairs of papers that stand once with a link and once without: 1" in notes
