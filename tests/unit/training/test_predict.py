"""Raw data in, names and values out: what `train` saw and scored, without its scaling by hand."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch

from timegrain.core.errors import ConfigError, DataError, GridError, LayoutError, ModelError
from timegrain.data.dataset import Dataset
from timegrain.data.tasks import load_task, make_task
from timegrain.models.build import build_model
from timegrain.study.job import TrainingJob, carry_out
from timegrain.study.storage import store
from timegrain.training.checkpoint_files import load_checkpoint, save_checkpoint
from timegrain.training.scaling import Scaling
from timegrain.training.stages import parse_stages

STEP = {"d_input": 1, "d_output": 2, "d_model": 4, "n_layers": 1, "seed": 0}


def trained(task, tmp_path, model="s4d", **changes):
    job = TrainingJob(
        model=model, stages=parse_stages("2:2,1:4"), d_model=8, n_layers=1, strides=(), **changes
    )
    done = carry_out(job, task, lambda *a: None)
    store(done, task, tmp_path / "net")
    return load_checkpoint(tmp_path / "net"), done.run


def raw_test(task):
    return [task.dataset.sequences[i] for i in task.test.index]


def marks(answers, task):
    """What a run calls `correct`, of names of classes."""
    right = answers == np.asarray(task.dataset.class_names)[task.test.y]
    return "".join("1" if r else "0" for r in right)


@pytest.fixture
def stored(tmp_path):
    """An untrained network of one channel, whose inputs are around 20."""
    save_checkpoint(
        tmp_path,
        build_model("s4d", **STEP),
        dt_trained=0.01,
        unit="s",
        class_names=("rest", "motion"),
        channel_names=("force",),
        inputs=Scaling(center=(20.0,), scale=(2.5,)),
    )
    return load_checkpoint(tmp_path)


@pytest.fixture
def raw():
    return np.random.default_rng(0).normal(20, 2.5, size=(5, 30, 1))


@pytest.mark.parametrize("model", ["s4d", "s6", "gru"])
def test_raw_test_data_give_the_answers_that_were_scored(model, ragged, tmp_path):
    checkpoint, run = trained(ragged, tmp_path, model)
    found = marks(checkpoint.predict(raw_test(ragged)), ragged)
    assert found == run.correct
    assert 1 - found.count("0") / len(found) == run.score


def test_a_shipped_set_gives_the_answers_that_were_scored(tmp_path):
    gun = load_task("GunPoint")
    checkpoint, run = trained(gun, tmp_path)
    assert marks(checkpoint.predict(np.stack(raw_test(gun))), gun) == run.correct


def test_values_come_back_on_their_own_scale(values, tmp_path):
    checkpoint, run = trained(values, tmp_path)
    answers = checkpoint.predict(raw_test(values))
    y = values.test.y.astype(np.float64)
    # the run scores standardised float32 numbers of size 1; these are of size 5 to 10
    assert 1 - ((answers - y) ** 2).sum() / ((y - y.mean()) ** 2).sum() == pytest.approx(
        run.score, abs=1e-5
    )
    with pytest.raises(ModelError, match="no classes"):
        checkpoint.predict_proba(raw_test(values))
    assert "1 value" in repr(checkpoint)


def test_missing_samples_are_filled_as_in_training(task, tmp_path):
    holes = [s.copy() for s in task.dataset.sequences]
    for i, sequence in enumerate(holes):
        sequence[i % 7 :: 5] = np.nan
    holed = make_task(replace(task.dataset, sequences=tuple(holes)))
    checkpoint, run = trained(holed, tmp_path)
    assert marks(checkpoint.predict(np.stack(raw_test(holed))), holed) == run.correct


def test_tokens_are_predicted_from(tmp_path):
    random = np.random.default_rng(0)
    labels = np.resize([0, 1], 30)
    sequences = tuple(random.integers(0, 3, 12) + y for y in labels)
    words = Dataset(
        name="words", sequences=sequences, labels=labels, class_names=("low", "high"), kind="tokens"
    )
    task = make_task(words)
    checkpoint, run = trained(task, tmp_path)
    assert marks(checkpoint.predict(raw_test(task)), task) == run.correct
    assert marks(checkpoint.predict(np.stack(raw_test(task))), task) == run.correct
    with pytest.raises(DataError, match=r"got 9, expected integers in 0\.\.3"):
        checkpoint.predict([np.array([1, 9])])
    with pytest.raises(DataError, match="dtype float64"):
        checkpoint.predict(np.ones((2, 12)))


def test_a_network_with_an_embedding_takes_tokens(tmp_path):
    net = build_model("gru", vocab=5, d_output=2, d_model=4, n_layers=1, seed=0)
    checkpoint = load_checkpoint(save_checkpoint(tmp_path, net, dt_trained=1.0, unit="sample"))
    x = torch.randint(5, (3, 8))
    assert torch.equal(torch.as_tensor(checkpoint.predict_logits(x)), net(x).detach().double())


def test_the_network_sees_scaled_numbers_and_its_tau(stored, raw):
    scaled = torch.as_tensor((raw - 20.0) / 2.5).float()
    for given, tau in (
        ({}, 1.0),
        ({"tau": 3.0}, 3.0),
        ({"hz": 50}, 2.0),
        ({"dt": 0.04}, 4.0),
    ):
        with torch.no_grad():
            wanted = stored.model(scaled, tau).double().numpy()
        assert np.array_equal(stored.predict_logits(raw, **given), wanted)
    assert not np.array_equal(stored.predict_logits(raw), stored.predict_logits(raw, hz=50))


@pytest.mark.parametrize("shape", [(5,), (5, 30)])
def test_every_sequence_may_have_a_tau_of_its_own(stored, raw, shape):
    tau = np.linspace(0.5, 2, int(np.prod(shape))).reshape(shape)
    scaled = torch.as_tensor((raw - 20.0) / 2.5).float()
    with torch.no_grad():
        wanted = stored.model(scaled, torch.as_tensor(tau)).double().numpy()
    # other batches sum in another order: roundings of numbers of size 1
    got = stored.predict_logits(raw, tau=tau, batch_size=2)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=16 * 1.2e-7)


def test_names_numbers_and_probabilities_agree(stored, raw, tmp_path):
    odds = stored.predict_proba(raw)
    np.testing.assert_allclose(odds.sum(1), 1, rtol=0, atol=4 * 2.3e-16)
    logits = stored.predict_logits(raw)
    np.testing.assert_allclose(odds, torch.softmax(torch.as_tensor(logits), -1), rtol=1e-12)
    assert stored.predict(raw).tolist() == [("rest", "motion")[i] for i in odds.argmax(1)]
    bare = save_checkpoint(tmp_path / "bare", stored.model, dt_trained=1.0, unit="s")
    unscaled = load_checkpoint(bare)
    assert unscaled.predict((raw - 20) / 2.5).tolist() == odds.argmax(1).tolist()


def test_arrays_tensors_and_lists_are_the_same(stored, raw):
    wanted = stored.predict_logits(raw)
    for other in (torch.as_tensor(raw), list(raw), [s[:, 0] for s in raw], tuple(raw)):
        assert np.array_equal(stored.predict_logits(other), wanted)


def test_padding_does_not_matter(stored, raw):
    lengths = np.array([30, 12, 1, 7, 30])
    wanted = stored.predict_logits([s[:n] for s, n in zip(raw, lengths, strict=True)])
    padded = raw.copy()
    padded[np.arange(30) >= lengths[:, None]] = np.inf
    for given in (lengths, torch.as_tensor(lengths), lengths.tolist()):
        assert np.array_equal(stored.predict_logits(padded, lengths=given), wanted)


def test_a_network_that_answers_at_every_sample(raw, tmp_path):
    net = build_model("s4d", head="step", **STEP)
    checkpoint = load_checkpoint(save_checkpoint(tmp_path, net, dt_trained=1.0, unit="s"))
    assert checkpoint.predict(raw).shape == (5, 30)
    assert checkpoint.predict_proba(raw).shape == (5, 30, 2)


def test_a_network_that_cannot_be_told_its_step_says_so(raw, tmp_path):
    net = build_model("gru", **STEP)
    checkpoint = load_checkpoint(save_checkpoint(tmp_path, net, dt_trained=0.01, unit="s"))
    with pytest.warns(UserWarning, match="gru cannot be told its step") as caught:
        told = checkpoint.predict_logits(raw, hz=50)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(checkpoint.predict_logits(raw), told)
        checkpoint.predict(raw, hz=100)


@pytest.mark.parametrize(
    ("x", "given", "error", "message"),
    [
        (np.ones((4, 9)), {}, LayoutError, r"x\[:, :, None\] if the axes are \(batch, time\)"),
        (np.ones((4, 1, 9)), {}, LayoutError, r"x\.swapaxes\(1, 2\)"),
        (np.ones((4, 9, 2)), {}, LayoutError, r"expected \(batch, time, 1\)[\s\S]*force"),
        (np.ones((0, 9, 1)), {}, LayoutError, "no empty axis"),
        ([], {}, DataError, "no sequence"),
        ([np.ones((9, 1)), np.ones((9, 2))], {}, LayoutError, "sequence 1 of the list"),
        ([np.ones(0)], {}, LayoutError, "at least one sample"),
        (np.full((1, 3, 1), "a"), {}, DataError, "no real numbers"),
        ([[1.0, [2.0]]], {}, DataError, "sequence 0 is no array"),
        (np.full((1, 3, 1), np.inf), {}, DataError, "infinity in sequence 0, sample 0"),
        (np.ones((2, 9, 1)), {"lengths": [9]}, LayoutError, "2 whole numbers in 1..9"),
        (np.ones((2, 9, 1)), {"lengths": [9, 0]}, LayoutError, r"got \[9, 0\]"),
        (np.ones((2, 9, 1)), {"lengths": [9.0, 3.0]}, LayoutError, "float64"),
        ([np.ones(9)], {"lengths": [9]}, LayoutError, "lengths of their own"),
        (np.ones((2, 9, 1)), {"hz": 50, "tau": 2.0}, GridError, "more than once"),
        (np.ones((2, 9, 1)), {"hz": 0}, GridError, "positive"),
        (np.ones((2, 9, 1)), {"tau": 0.0}, GridError, "positive"),
        (np.ones((2, 9, 1)), {"tau": "fast"}, GridError, "ratio of steps"),
        (np.ones((2, 9, 1)), {"tau": [1.0, 2.0, 3.0]}, GridError, "does not fit"),
        (np.ones((2, 9, 1)), {"batch_size": 0}, ConfigError, "batch_size"),
    ],
)
def test_what_cannot_be_predicted_from_is_refused(stored, x, given, error, message):
    with pytest.raises(error, match=message):
        stored.predict(x, **given)


def test_a_missing_sample_without_a_scaling_is_refused(raw, tmp_path):
    net = build_model("s4d", **STEP)
    checkpoint = load_checkpoint(save_checkpoint(tmp_path, net, dt_trained=1.0, unit="s"))
    raw[2, 3] = np.nan
    with pytest.raises(DataError, match="a missing sample in sequence 2, sample 3"):
        checkpoint.predict(raw)


def test_a_checkpoint_says_what_it_takes_and_gives(stored):
    text = repr(stored)
    assert "(batch, time, 1): force" in text
    assert "2 classes: rest, motion" in text
    assert "0.01 s" in text
    assert "predict(x) takes raw data" in text
    assert max(map(len, text.splitlines())) <= 80
