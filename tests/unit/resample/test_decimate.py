import time

import numpy as np
import pytest

from timegrain.core.errors import DataError, GridError, LayoutError
from timegrain.resample import coarsen, fir_decimate, shortest_length
from timegrain.resample.fir_reference import fir_resample_reference

ENDS = 40  # samples of the result that lean on the continuation


@pytest.mark.parametrize(("k", "n"), [(2, 483), (3, 724), (7, 1700), (16, 3850)])
def test_equals_the_reference(k, n):
    x = np.random.default_rng(k).normal(size=n)
    expected = fir_resample_reference(x, 1, k)
    # sums of 80 k + 1 products of numbers below 5: rounding far below 1e-12
    assert np.abs(fir_decimate(x, k, axis=0) - expected).max() < 1e-12


@pytest.mark.parametrize("k", [2, 8, 64])
def test_a_tone_in_the_passband_keeps_its_phase_and_height(k):
    n = shortest_length(k) + 13 * k
    for share in (0.05, 0.4, 0.79):
        omega = share * np.pi / k
        tone = np.exp(1j * (omega * np.arange(n) + 0.3))
        out = fir_decimate(tone.real.copy(), k, axis=0) + 1j * fir_decimate(
            tone.imag.copy(), k, axis=0
        )
        turned = (out / tone[::k])[ENDS:-ENDS]
        assert np.abs(np.angle(turned)).max() < 1e-6
        assert np.abs(np.abs(turned) - 1).max() < 1e-6


@pytest.mark.parametrize("k", [2, 8, 64])
@pytest.mark.parametrize("share", [1.0, 1.3, 1.9])
def test_a_tone_that_would_alias_is_removed(k, share):
    n = shortest_length(k)
    tone = np.cos(share * np.pi / k * np.arange(n) + 0.1)
    inside = fir_decimate(tone, k, axis=0)[ENDS:-ENDS]
    assert np.abs(inside).max() < 1e-6
    # without the filter nothing of it is lost
    assert np.abs(tone[::k]).max() > 0.9


def test_lines_stay_exact_up_to_the_ends_and_nothing_wraps():
    line = 3.0 - 0.5 * np.arange(1000.0)
    assert np.abs(fir_decimate(line, 4, axis=0) - line[::4]).max() < 1e-9
    # the far end jumps by a million: the near end does not see it
    jump = np.where(np.arange(1000) < 990, 0.0, 1e6)
    assert np.abs(fir_decimate(jump, 4, axis=0)[:100]).max() == 0.0


def test_only_the_first_and_last_forty_samples_lean_on_the_continuation():
    x = np.random.default_rng(0).normal(size=2000)
    shorter = fir_decimate(x[:1600], 4, axis=0)
    longer = fir_decimate(x, 4, axis=0)
    same = np.abs(shorter - longer[:400]) < 1e-12
    assert same[: 400 - ENDS].all()
    assert not same[-ENDS + 1 :].all()


def test_samples_stand_where_coarsen_puts_them():
    from timegrain.core.grid import TimeGrid
    from timegrain.core.signal import Signal

    x = np.sin(0.01 * np.arange(2000.0)).reshape(2, 1000, 1)
    coarse = coarsen(Signal(values=x, grid=TimeGrid(dt=1.0, n=1000)), 3).values
    filtered = fir_decimate(x, 3)
    assert filtered.shape == coarse.shape
    assert np.abs(filtered - coarse)[:, ENDS:-ENDS].max() < 1e-5


def test_axis_dtype_and_the_input_are_kept():
    x = np.random.default_rng(1).normal(size=(2, 600, 3)).astype(np.float32)
    before = x.copy()
    y = fir_decimate(x, 2)
    assert y.dtype == np.float32 and y.shape == (2, 300, 3)
    assert np.array_equal(x, before)
    moved = fir_decimate(np.moveaxis(x, 1, 2), 2, axis=-1)
    assert np.array_equal(np.moveaxis(moved, 2, 1), y)
    assert fir_decimate(np.ones((1, 600, 1), dtype=np.int16), 2).dtype == np.float64
    assert np.array_equal(fir_decimate(x, 1), x)


def test_too_short_names_the_shortest_usable_length():
    x = np.zeros((1, 482, 1))
    with pytest.raises(GridError, match=r"got 482 samples, expected 483 or more"):
        fir_decimate(x, 2)
    assert fir_decimate(np.zeros((1, 483, 1)), 2).shape == (1, 242, 1)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_values_are_refused(value):
    x = np.zeros((2, 600, 1))
    x[1, 17] = value
    with pytest.raises(DataError, match=r"at sample 17 of signal 1"):
        fir_decimate(x, 2)


def test_what_is_no_signal_is_refused():
    with pytest.raises(LayoutError, match="no axis 1"):
        fir_decimate(np.zeros(600), 2)
    with pytest.raises(DataError, match="dtype complex128"):
        fir_decimate(np.zeros((1, 600), dtype=complex), 2)
    with pytest.raises(DataError, match="got list"):
        fir_decimate([0.0] * 600, 2)


def test_a_million_samples_of_six_channels_take_well_under_a_second():
    x = np.random.default_rng(0).normal(size=(1, 1_000_000, 6))
    fir_decimate(x[:, :100_000], 8)
    times = []
    for _ in range(3):
        start = time.process_time()
        fir_decimate(x, 8)
        times.append(time.process_time() - start)
    # .17 s measured; processor time of all threads, so that other processes do not count
    assert min(times) < 0.8
