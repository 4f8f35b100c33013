"""What a dial changes, what it must not, and that its untouched dose is the data themselves."""

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError, UnknownNameError
from timegrain.data import Dataset
from timegrain.data.dials import add_noise, decimate, load_dial, parse_dials, window_shuffle


def dataset(**more):
    rng = np.random.default_rng(0)
    sequences = tuple(rng.standard_normal((n, 2)) for n in (60, 61, 47))
    return Dataset(name="x", sequences=sequences, dt=0.5, unit="s", **more)


@pytest.mark.parametrize("name", ["window_shuffle", "noise", "decimate"])
def test_the_untouched_dose_gives_the_data_themselves(name):
    dial = load_dial(name)
    data = dataset()
    assert dial.turn(data, dial.untouched, seed=5) is data


def test_a_window_shuffle_keeps_every_window_and_is_the_same_everywhere():
    data = dataset(targets=tuple(np.arange(float(n)) for n in (60, 61, 47)))
    for w in (2, 5, 8, 60, 200):
        turned = window_shuffle(data, w, seed=3)
        for before, after, target in zip(
            data.sequences, turned.sequences, turned.targets, strict=True
        ):
            order = target.astype(int)
            np.testing.assert_array_equal(after, before[order])  # channels and targets move along
            np.testing.assert_array_equal(order // w, np.arange(len(order)) // w)
            whole = len(order) // w
            inside = order[: whole * w].reshape(whole, w) % w
            assert (inside == inside[:1]).all()
        assert any((t != np.arange(len(t))).any() for t in turned.targets)
        assert turned.notes[-1].startswith(f"samples were shuffled within windows of {w}")
    again, other = window_shuffle(data, 8, seed=3), window_shuffle(data, 8, seed=4)
    assert (again.sequences[0] == window_shuffle(data, 8, seed=3).sequences[0]).all()
    assert (again.sequences[0] != other.sequences[0]).any()


def test_two_samples_always_change_places():
    data = dataset()
    for seed in range(8):
        turned = window_shuffle(data, 2, seed=seed).sequences[0]
        np.testing.assert_array_equal(turned[::2], data.sequences[0][1::2])


def test_noise_has_the_ratio_asked_for_in_every_channel_and_one_size_in_all_sequences():
    rng = np.random.default_rng(1)
    loud = 100 * np.cumsum(rng.standard_normal((20_000, 2)), axis=0) * np.array([1.0, 1e-6])
    data = Dataset(name="x", sequences=(loud, loud / 10))
    mean = (loud.var(axis=0, ddof=1) + (loud / 10).var(axis=0, ddof=1)) / 2
    for snr in (-3.0, 10.0, 20.0):
        turned = add_noise(data, snr, seed=2)
        for before, after in zip(data.sequences, turned.sequences, strict=True):
            # a variance of 20,000 draws is known to 1 %; four of those
            np.testing.assert_allclose((after - before).var(0), mean / 10 ** (snr / 10), rtol=0.04)
    small, large = add_noise(data, 40.0, seed=2), add_noise(data, 20.0, seed=2)
    np.testing.assert_allclose(
        large.sequences[0] - loud, 10 * (small.sequences[0] - loud), rtol=1e-6, atol=1e-6
    )


def test_missing_samples_stay_missing_and_resting_channels_stay_at_rest():
    x = np.random.default_rng(0).standard_normal((50, 3))
    x[7, 0] = np.nan
    x[:, 1] = 2.0
    x[:, 2] = np.nan
    turned = add_noise(Dataset(name="x", sequences=(x,)), 10).sequences[0]
    np.testing.assert_array_equal(np.isnan(turned), np.isnan(x))
    assert (turned[:, 1] == 2.0).all()


def test_thinning_takes_the_step_times_targets_and_starts_along():
    times = tuple(np.cumsum(np.ones(n)) for n in (60, 61, 47))
    data = dataset(times=times, targets=times, ids=("a", "a", "b"), starts=np.array([0, 60, 0]))
    turned = decimate(data, 4)
    assert turned.dt == 2.0 and turned.lengths.tolist() == [15, 16, 12]
    assert turned.starts.tolist() == [0, 15, 0]
    for before, after in zip(times, turned.times, strict=True):
        np.testing.assert_array_equal(after, before[::4])
    np.testing.assert_array_equal(turned.sequences[2], data.sequences[2][::4])
    with pytest.raises(DataError, match="every 47-th of 47 samples"):
        decimate(data, 47)


def test_tokens_can_be_shuffled_and_thinned_but_not_made_noisy():
    data = Dataset(name="x", sequences=(np.arange(10) % 3,), kind="tokens")
    assert sorted(window_shuffle(data, 4).sequences[0]) == sorted(data.sequences[0])
    assert decimate(data, 3).sequences[0].tolist() == [0, 0, 0, 0]
    with pytest.raises(DataError, match="symbols"):
        add_noise(data, 10)


@pytest.mark.parametrize(
    ("text", "error", "match"),
    [
        ("window_shufle=1,2", UnknownNameError, "window_shuffle"),
        ("noise", ConfigError, "a name and doses"),
        ("noise=", ConfigError, "a name and doses"),
        ("noise=loud", ConfigError, "takes numbers"),
        ("noise=nan", ConfigError, "takes numbers"),
        ("noise=-301", ConfigError, "not turned so far"),
        ("decimate=1.5", ConfigError, "whole numbers"),
        ("decimate=0", ConfigError, "whole numbers"),
        ("decimate=inf", ConfigError, "whole numbers"),
        ("decimate=2,2", ConfigError, "different doses"),
        ("decimate=2;decimate=4", ConfigError, "turned twice"),
    ],
)
def test_wrong_doses_are_refused(text, error, match):
    with pytest.raises(error, match=match):
        parse_dials([text])


def test_several_dials_may_stand_in_one_text_or_in_several():
    expected = {"decimate": (1.0, 2.0), "noise": (20.0,)}
    assert parse_dials(["decimate=1, 2; noise=20;"]) == expected
    assert parse_dials(["decimate=1,2", "noise=20"]) == expected


def test_windows_far_beyond_the_longest_sequence_are_refused():
    data = Dataset(name="x", sequences=(np.arange(5.0)[:, None],))
    turned = window_shuffle(data, 1 << 20).sequences[0]
    assert sorted(turned[:, 0]) == [0, 1, 2, 3, 4]
    with pytest.raises(ConfigError, match="longer than all of 'x', got 1,000,000,000 samples"):
        window_shuffle(data, 10**9)


@pytest.mark.parametrize("dose", ["loud", "4", True, None, b"1"])
def test_a_dose_that_is_no_number_is_refused(dose):
    data = Dataset(name="x", sequences=(np.arange(5.0)[:, None],))
    with pytest.raises(ConfigError, match="takes numbers"):
        add_noise(data, dose)


def test_the_loudest_noise_is_finite():
    quiet = Dataset(name="x", sequences=(np.sin(np.arange(40.0))[:, None],))
    # 300 dB are an amplitude of 1e15
    found = add_noise(quiet, -300).sequences[0]
    assert 1e14 < np.abs(found).max() < 1e16
    with pytest.raises(ConfigError, match="not turned so far, got -7000"):
        add_noise(quiet, -7000)
