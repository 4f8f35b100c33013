"""Generated sets by name, with options, sizes, parts and dials."""

import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.data import describe_datasets, load_dataset, load_task
from timegrain.data.catalogue import card
from timegrain.data.dials import add_noise, window_shuffle

pytestmark = pytest.mark.usefixtures("registered")


def same(one, other):
    return len(one) == len(other) and all(map(np.array_equal, one, other))


def test_a_set_has_its_parts_in_a_row():
    data = load_dataset("walk")
    assert (len(data), data.n_train, data.n_validation) == (36, 20, 6)
    assert data.describe() == "walk: 36 sequences x 2 channels, length 16, dt 0.5 s"
    assert data.source == "a drifting walk"
    assert same(load_dataset("walk").sequences, data.sequences)
    assert not same(load_dataset("walk", seed=1).sequences, data.sequences)
    assert card("walk").generator is not None
    assert "walk" in [about.name for about in describe_datasets()]


def test_options_and_sizes_go_by_name():
    data = load_dataset("walk", length=5, n_train=3, n_validation=0, n_test=2)
    assert (len(data), data.n_train, data.n_validation) == (5, 3, 0)
    assert data.lengths.tolist() == [5] * 5
    ragged = load_dataset("walk", lengthen=True)
    assert set(ragged.lengths.tolist()) == {16, 17, 18, 19}


def test_cases_of_a_part_stay_when_another_grows():
    few, more = load_dataset("walk"), load_dataset("walk", n_train=50, n_validation=9)
    assert same(few.sequences[:20], more.sequences[:20])
    assert same(few.sequences[20:26], more.sequences[50:56])
    assert same(few.sequences[26:], more.sequences[59:])
    assert few.labels[26:].tolist() == more.labels[59:].tolist()


def test_a_task_has_three_parts_scaled_by_the_first():
    data, task = load_dataset("walk"), load_task("walk")
    assert [len(p) for p in (task.train, task.validation, task.test)] == [20, 6, 10]
    assert task.validation.index.tolist() == list(range(20, 26))
    raw = np.stack(data.sequences)
    mean, spread = raw[:20].mean((0, 1)), raw[:20].std((0, 1))
    # float64 sums in another order, then one rounding to float32
    np.testing.assert_allclose(
        task.validation.x, (raw[20:26] - mean) / spread, rtol=3e-7, atol=1e-6
    )
    np.testing.assert_array_equal(task.test.y, data.labels[26:].astype(np.float32))
    assert (task.target_kind, task.metric, task.n_outputs) == ("value", "r2", 1)
    assert "20 to train, 6 to validate, 10 to test" in repr(task)
    assert "split of the source: 20 to train, 6 to validate, 10 to test" in task.notes
    assert task.trivial_score < 0.1
    assert load_task("walk", n_validation=0).validation is None


def test_a_task_of_tokens_has_a_channel_a_symbol():
    task = load_task("echo", kinds=4)
    assert (task.d_input, task.n_classes, task.metric) == (4, 4, "accuracy")
    tokens = np.stack(load_dataset("echo", kinds=4).sequences)
    assert np.array_equal(task.train.x.argmax(-1), tokens[:30])
    assert np.array_equal(task.test.y, tokens[38:].sum(1) % 4)


def test_an_answer_at_every_sample():
    task = load_task("echo", each=True)
    tokens = np.stack(load_dataset("echo").sequences)
    assert np.array_equal(task.test.y, tokens[38:].cumsum(1) % 3)
    assert task.test.y.shape == task.test.x.shape[:2]
    assert (task.n_classes, task.n_outputs, task.d_output) == (3, 1, 3)
    commonest = np.bincount(task.train.y.ravel()).argmax()
    assert task.trivial_score == np.mean(task.test.y == commonest)


def test_the_seed_of_a_task_is_that_of_its_cases():
    data = load_dataset("walk", seed=4)
    assert np.array_equal(load_task("walk", seed=4).test.y, data.labels[26:].astype(np.float32))


def test_the_permuted_twin():
    data, twin = load_dataset("walk"), load_dataset("walk-permuted")
    order = np.random.default_rng(0).permutation(16)
    assert np.array_equal(twin.sequences[3], data.sequences[3][order])
    assert np.array_equal(
        load_task("walk", permute=True).test.x, load_task("walk").test.x[:, order]
    )


def test_windows_are_cut_and_keep_their_part():
    task = load_task("walk", window=8)
    assert [len(p) for p in (task.train, task.validation, task.test)] == [40, 12, 20]
    assert {task.dataset.ids[i] for i in task.validation.index} == {str(i) for i in range(20, 26)}


@pytest.mark.parametrize("name", ["walk", "GunPoint"])
def test_any_set_takes_dials_in_their_order(name):
    data = load_dataset(name, seed=2)
    found = load_dataset(name, window_shuffle=4, noise=20, seed=2)
    wanted = add_noise(window_shuffle(data, 4, seed=2), 20, seed=2)
    assert same(found.sequences, wanted.sequences)
    assert load_task(name, decimate=2).dt == 2 * data.dt
    assert load_task(name, window_shuffle=1).test.x.shape == load_task(name).test.x.shape


def test_a_word_that_nobody_knows_is_an_error_that_names_those_that_are():
    with pytest.raises(ConfigError, match=r"'walk' has no option 'etta'.*length, step") as raised:
        load_task("walk", etta=0.5)
    assert "window_shuffle" in str(raised.value)
    for load in (load_dataset, load_task):
        with pytest.raises(ConfigError, match="'GunPoint' has no option 'length'"):
            load("GunPoint", length=5)
    with pytest.raises(ConfigError, match="'walk' has no option"):
        load_dataset("walk", n_tests=5)
    # kind= is a word of every source, and kinds= an option of this one
    with pytest.raises(ConfigError, match=r"'dyck' has no option 'kindz'.*\nTry kinds") as raised:
        load_dataset("dyck", kindz=4)
    assert "delimiter" not in str(raised.value)
    with pytest.raises(ConfigError, match=r"(?s)expected one of .*delimiter.*Try delimiter"):
        load_dataset("GunPoint", delimiters=",")


def test_words_for_files_have_no_use():
    with pytest.raises(ConfigError, match="key= has no use for the generated set 'walk'"):
        load_dataset("walk", key="x")


def test_a_step_that_is_an_option_is_not_replaced(walk, monkeypatch):
    import sys
    from dataclasses import replace

    from timegrain.data.generated import number

    def make(index, *, seed, dt, **options):
        made = walk.make(index, seed=seed, **options)
        return replace(made, sequences=made.sequences * dt)

    options = {**walk.options, "dt": number(0.5, 0, 1, "the step", above=True)}
    other = replace(walk, make=make, options=options, depends=lambda *, dt, **_: {"dt": dt})
    monkeypatch.setattr(sys.modules["sources_of_these_tests"], "WALK", other)
    data = load_dataset("walk", dt=0.25)
    assert (data.dt, data.unit) == (0.25, "s")
    assert np.array_equal(data.sequences[0] * 2, load_dataset("walk").sequences[0])
    assert load_task("walk", dt=0.25).dt == 0.25
    with pytest.raises(ConfigError, match="the step of 'walk' is an option of what makes it"):
        load_dataset("walk", hz=100)


@pytest.mark.parametrize(
    ("word", "hint"),
    [("stride", "Try decimate"), ("n_train", "Try n_train with a generated set"), ("shuffle", "w")],
)
def test_what_was_meant_is_said(word, hint):
    with pytest.raises(ConfigError, match=hint) as raised:
        load_task("GunPoint", **{word: 2})
    assert " eta," not in str(raised.value)


def test_a_small_set_names_the_one_of_any_size():
    with pytest.raises(ConfigError, match="Try n_train with lra-listops"):
        load_task("listops", n_train=50)


def test_a_seed_is_one_for_any_set():
    with pytest.raises(ConfigError, match="no such seed"):
        load_task("GunPoint", seed=-4)
