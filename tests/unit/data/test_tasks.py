import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.data import Dataset, load_task, make_task
from timegrain.data.split import split

RNG = np.random.default_rng(7)


def labelled(n=20, *, lengths=None, **changes):
    lengths = lengths or [6] * n
    made = {
        "name": "d",
        "sequences": tuple(RNG.normal(5, 3, (length, 2)) for length in lengths),
        "labels": np.arange(n, dtype=np.int64) % 2,
        "class_names": ("a", "b"),
    }
    return Dataset(**{**made, **changes})


def test_a_published_split_is_kept():
    task = load_task("JapaneseVowels", seed=3)
    assert task.train.index.tolist() == list(range(270))
    assert task.test.index.tolist() == list(range(270, 640))
    assert task.train.x.shape == (270, 29, 12)
    assert (task.train.x.dtype, task.train.y.dtype) == (np.float32, np.int64)
    assert (task.target_kind, task.n_classes, task.metric) == ("class", 9, "accuracy")
    assert (task.d_input, task.d_output, task.dt, task.unit) == (12, 9, 0.0064, "s")
    assert "split of the source" in task.notes[0]


def test_scaling_uses_training_samples_only():
    data = labelled(lengths=[6, 4] * 10, n_train=12)
    task = make_task(data)
    inside = np.concatenate(data.sequences[:12])
    for part in (task.train, task.test):
        for row, length, i in zip(part.x, part.lengths, part.index, strict=True):
            wanted = (data.sequences[i] - inside.mean(0)) / inside.std(0)
            # float32 rounds values below 10 by at most 5e-7
            np.testing.assert_allclose(row[:length], wanted, atol=1e-6)
            assert not row[length:].any()


def test_the_test_part_cannot_move_the_training_part():
    data = labelled(n_train=12)
    spoiled = Dataset(
        name="d",
        sequences=data.sequences[:12] + tuple(1e6 * s for s in data.sequences[12:]),
        labels=data.labels,
        class_names=data.class_names,
        n_train=12,
    )
    np.testing.assert_array_equal(make_task(data).train.x, make_task(spoiled).train.x)


def test_missing_samples_are_the_mean_and_counted():
    sequences = [s.copy() for s in labelled(n_train=12).sequences]
    sequences[0][2, 1] = np.nan
    sequences[15][0, 0] = np.nan
    task = make_task(labelled(sequences=tuple(sequences), n_train=12))
    assert task.train.x[0, 2, 1] == 0
    assert task.test.x[3, 0, 0] == 0
    assert np.isfinite(task.train.x).all()
    assert any("2 missing samples" in note for note in task.notes)


def test_a_constant_channel_stays_zero():
    sequences = tuple(
        np.column_stack([s[:, 0], np.full(len(s), 0.1)]) for s in labelled().sequences
    )
    task = make_task(labelled(sequences=sequences))
    assert not task.train.x[:, :, 1].any()
    assert not task.test.x[:, :, 1].any()


def test_a_channel_without_a_training_value_is_named():
    sequences = tuple(np.column_stack([s[:, 0], s[:, 0] * np.nan]) for s in labelled().sequences)
    with pytest.raises(DataError, match="channel 'speed' of 'd' has no value"):
        make_task(labelled(sequences=sequences, channel_names=("height", "speed")))


def test_a_seeded_split_takes_a_fifth_of_every_class():
    labels = np.repeat(np.arange(3), [10, 25, 40])
    train, test = split(labels, seed=5)
    assert np.bincount(labels[test]).tolist() == [2, 5, 8]
    assert sorted([*train, *test]) == list(range(75))
    assert (np.diff(train) > 0).all() and (np.diff(test) > 0).all()
    np.testing.assert_array_equal(split(labels, seed=5)[1], test)
    assert split(labels, seed=6)[1].tolist() != test.tolist()


def test_a_class_is_never_only_tested():
    train, test = split(np.array([0, 1, 1, 1, 1, 1]))
    assert 0 in train
    assert len(test) == 1


def test_too_few_to_split():
    with pytest.raises(DataError, match="too few labelled sequences"):
        split(np.array([0, 1]))


def test_mnist_is_split_evenly_and_deterministically():
    task, again = load_task("mnist-row"), load_task("mnist-row")
    assert (len(task.train), len(task.test)) == (4000, 1000)
    assert np.bincount(task.test.y).tolist() == [100] * 10
    assert not set(task.train.index.tolist()) & set(task.test.index.tolist())
    np.testing.assert_array_equal(task.train.x, again.train.x)
    np.testing.assert_array_equal(task.test.index, again.test.index)
    assert load_task("mnist-row", seed=1).test.index.tolist() != task.test.index.tolist()


def test_the_trivial_score_is_the_commonest_training_class():
    labels = np.array([0, 0, 0, 1, 1, 0, 1, 1, 1, 1])
    task = make_task(labelled(10, labels=labels, n_train=5))
    assert task.trivial_score == 0.2


def test_values_are_scored_by_r2_of_the_training_mean():
    labels = np.array([1.0, 3.0, 0.0, 4.0])
    task = make_task(labelled(4, labels=labels, class_names=(), n_train=2))
    assert (task.target_kind, task.metric, task.n_classes, task.d_output) == (
        "value",
        "r2",
        None,
        1,
    )
    # the training mean 2 is the test mean as well
    assert task.trivial_score == 0.0
    assert task.test.y.tolist() == [0.0, 4.0]
    assert task.test.y.dtype == np.float32
    shifted = make_task(
        labelled(4, labels=labels + np.array([2, 2, 0, 0]), class_names=(), n_train=2)
    )
    assert shifted.trivial_score == -1.0


def test_values_that_do_not_vary_cannot_be_scored():
    with pytest.raises(DataError, match="do not vary"):
        make_task(labelled(4, labels=np.array([1.0, 2, 3, 3]), class_names=(), n_train=2))


@pytest.mark.parametrize("offset", [1e9, -1e9, 1e15])
def test_values_far_from_zero_keep_their_differences(offset):
    small = np.array([0.5, -0.25, 1.0, -1.5, 0.75, 0.0, -0.5, 2.0])
    task = make_task(labelled(8, labels=offset + small, class_names=(), n_train=4))
    near = make_task(labelled(8, labels=small, class_names=(), n_train=4))
    moved = np.concatenate([task.train.y, task.test.y])
    assert moved.dtype == np.float32
    # these sums and their mean are exact in float64, the differences in float32
    np.testing.assert_array_equal(moved, small - small[:4].mean())
    assert task.trivial_score == near.trivial_score
    assert any("targets were counted from" in note for note in task.notes)
    assert not any("targets" in note for note in near.notes)
    np.testing.assert_array_equal(near.train.y, small[:4])


@pytest.mark.parametrize("factor", [1e-300, 1e-60, 1e60, 1e160, 1e300])
def test_values_that_float32_cannot_hold_are_scaled(factor):
    small = np.array([0.5, -0.25, 1.0, -1.5, 0.75, 0.0, -0.5, 2.0])
    task = make_task(labelled(8, labels=factor * small, class_names=(), n_train=4))
    near = make_task(labelled(8, labels=small, class_names=(), n_train=4))
    # float32 rounds each by 6e-8 of itself
    ratio = task.train.y / near.train.y
    np.testing.assert_allclose(ratio, ratio[0], rtol=3e-7)
    assert 0.1 < abs(ratio[0]) < 10
    # the score is a ratio of sums of squares of 4 float64
    assert task.trivial_score == pytest.approx(near.trivial_score, rel=1e-13)
    assert any("divided by" in note for note in task.notes)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("exponent", [-1000, -530, 530, 1015])
def test_samples_of_any_size_are_scaled_alike(exponent):
    data = labelled(n_train=12)
    # a power of 2 changes no digit
    large = labelled(
        sequences=tuple(np.ldexp(s, exponent) for s in data.sequences),
        labels=data.labels,
        n_train=12,
    )
    wanted, found = make_task(data), make_task(large)
    np.testing.assert_array_equal(found.train.x, wanted.train.x)
    np.testing.assert_array_equal(found.test.x, wanted.test.x)


def test_a_constant_channel_keeps_its_unit_in_the_test_part():
    sequences = tuple(
        np.column_stack([s[:, 0], np.full(len(s), 100.0 if i < 12 else 103.0)])
        for i, s in enumerate(labelled().sequences)
    )
    task = make_task(labelled(sequences=sequences, n_train=12))
    assert set(task.test.x[:, :, 1].ravel()) == {3.0}


def test_a_sample_that_float32_cannot_hold():
    sequences = [s.copy() for s in labelled().sequences]
    sequences[15][0, 0] = 1e200
    with pytest.raises(DataError, match="too far from the training part"):
        make_task(labelled(sequences=tuple(sequences), n_train=12))


def test_one_class_is_no_task():
    for names, label in ((("a",), 0), (("a", "b"), 1)):
        with pytest.raises(DataError, match=f"all of one class, got '{names[label]}'"):
            make_task(labelled(labels=np.full(20, label), class_names=names))


def test_more_symbols_than_memory_holds():
    data = Dataset(
        name="t",
        sequences=(np.array([0, 2**50]), np.array([1, 0]), np.array([0, 0])),
        labels=np.arange(3.0),
        kind="tokens",
    )
    with pytest.raises(DataError, match="symbols does not fit into memory"):
        make_task(data)


def test_symbols_become_indicators():
    task = load_task("mpsa-rna")
    assert task.train.x.shape == (24405, 9, 4)
    assert set(np.unique(task.train.x)) == {0.0, 1.0}
    assert (task.train.x.sum(axis=2) == 1).all()
    i = int(task.test.index[0])
    np.testing.assert_array_equal(task.test.x[0].argmax(1), task.dataset.sequences[i])
    assert (task.target_kind, task.d_input) == ("value", 4)


def test_padded_symbols_are_nothing():
    data = Dataset(
        name="t",
        sequences=(np.array([0, 1, 1]), np.array([1, 0]), np.array([0, 0])),
        labels=np.array([0.0, 1.0, 2.0]),
        n_train=1,
        kind="tokens",
    )
    with pytest.raises(DataError, match="has no labels"):
        make_task(Dataset(name="t", sequences=data.sequences, kind="tokens"))
    task = make_task(data)
    assert task.test.x.tolist() == [[[0, 1], [1, 0], [0, 0]], [[1, 0], [1, 0], [0, 0]]]


def test_permute_is_the_twin():
    direct, twin = load_task("GunPoint", permute=True), load_task("GunPoint-permuted")
    assert direct.name == twin.name == "GunPoint-permuted"
    np.testing.assert_array_equal(direct.train.x, twin.train.x)


def test_what_is_missing_is_said(tmp_path):
    with pytest.raises(DataError, match=r"(?s)'ecg' has no labels to learn.*target="):
        load_task("ecg")
    with pytest.raises(DataError, match="irregular times"):
        make_task(labelled(n=2, times=(np.arange(6.0) ** 2, np.arange(6.0))))
    with pytest.raises(DataError, match="one sequence"):
        make_task(labelled(n=1))
    # what is left is one, and why is said
    alone = labelled(
        1, labels=np.zeros(1, dtype=np.int64), notes=("a part was left empty, too short",)
    )
    with pytest.raises(DataError, match="one sequence: a part was left empty, too short"):
        make_task(alone)


def test_labels_of_the_users_file(tmp_path):
    np.savez(tmp_path / "mine.npz", x=RNG.normal(size=(30, 8)), y=np.arange(30) % 3)
    task = load_task(tmp_path / "mine.npz", target="y", dt=0.1, unit="s")
    assert (len(task.train), len(task.test), task.n_classes) == (24, 6, 3)
    assert (task.name, task.dt, task.unit) == ("mine", 0.1, "s")


def test_steps_that_jitter_a_little_are_taken_for_one():
    random = np.random.default_rng(0)
    times = tuple(np.arange(6.0) + random.uniform(-0.02, 0.02, 6) for _ in range(20))
    task = make_task(labelled(times=times, unit="s"))
    assert any("the network is told that all are" in note for note in task.notes)
    times = tuple(np.arange(6.0) + random.uniform(-0.2, 0.2, 6) for _ in range(20))
    with pytest.raises(DataError, match="irregular times"):
        make_task(labelled(times=times, unit="s"))


@pytest.mark.parametrize("lazy", [False, True])
def test_a_part_goes_into_a_loader_as_it_is(lazy):
    from torch.utils.data import DataLoader

    data = labelled(lengths=[6, 4] * 10, n_train=12)
    part = make_task(data, lazy=lazy).train
    x, lengths, y = (t.numpy() for t in next(iter(DataLoader(part, batch_size=5))))
    assert (x.dtype, lengths.dtype, y.dtype) == (np.float32, np.int64, np.int64)
    np.testing.assert_array_equal(x, np.asarray(part.x)[:5])
    assert lengths.tolist() == part.lengths[:5].tolist()
    assert y.tolist() == part.y[:5].tolist()
    last, length, label = part[-1]
    np.testing.assert_array_equal(last, np.asarray(part.x)[-1])
    assert (length, label) == (part.lengths[-1], part.y[-1])
    assert len(list(part)) == len(part)  # iteration ends
    for wrong in (len(part), -len(part) - 1):
        with pytest.raises(IndexError):
            part[wrong]
