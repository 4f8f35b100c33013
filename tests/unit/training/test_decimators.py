import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from timegrain.core.errors import ConfigError, GridError, LayoutError
from timegrain.core.outcome import Outcome
from timegrain.resample import fir_decimate
from timegrain.training import Batch, decimate, decimator_fit
from timegrain.training.decimators import mean_shift


@st.composite
def thinnings(draw):
    time = draw(st.integers(2, 30))
    lengths = draw(st.lists(st.integers(1, time), min_size=1, max_size=5))
    stride = draw(st.integers(2, 9))
    return lengths, time, stride, draw(st.integers(0, min(stride, time) - 1))


def ragged(lengths, time):
    """Values, targets, times and a mask that say which sample they are; NaN beyond the end."""
    at = torch.arange(float(time)).repeat(len(lengths), 1)
    row = 100.0 * torch.arange(len(lengths))[:, None]
    known = torch.tensor(lengths)
    x = torch.where(at < known[:, None], at + row, torch.nan)[..., None]
    return Batch(
        x=x,
        y=at.long(),
        lengths=known,
        per_step=True,
        times=0.5 * at + row,
        mask=at % 5 != 3,
    )


@given(thinnings())
def test_dropping_agrees_with_direct_indexing(case):
    lengths, time, stride, offset = case
    batch = ragged(lengths, time)
    out = decimate(batch, stride, offset=offset)
    for row, n in enumerate(lengths):
        kept = list(range(offset, n, stride)) or [n - 1]
        count = len(kept)
        assert int(out.lengths[row]) == count
        assert torch.equal(out.x[row, :count], batch.x[row, kept])
        assert out.y[row, :count].tolist() == kept
        assert torch.equal(out.times[row, :count], batch.times[row, kept])
        assert torch.equal(out.mask[row, :count], batch.mask[row, kept])


@given(thinnings())
def test_means_agree_with_direct_indexing(case):
    lengths, time, stride, offset = case
    batch = ragged(lengths, time)
    out = decimate(batch, stride, offset=offset, decimator="mean")
    for row, n in enumerate(lengths):
        starts = list(range(offset, n, stride))
        windows = [range(s, min(s + stride, n)) for s in starts] or [range(n - 1, n)]
        assert int(out.lengths[row]) == len(windows)
        for j, window in enumerate(windows):
            # whole numbers below 2^24 add exactly; one division rounds once
            mean = np.float32(sum(100 * row + i for i in window)) / np.float32(len(window))
            assert out.x[row, j, 0] == mean
            assert out.times[row, j] == pytest.approx(
                float(np.mean([0.5 * i + 100 * row for i in window])), rel=2e-7
            )
            centre = min(window[0] + (stride - 1) // 2, n - 1) if starts else n - 1
            assert int(out.y[row, j]) == centre
            assert bool(out.mask[row, j]) == all(i % 5 != 3 for i in window)


@pytest.mark.parametrize("stride", [2, 3, 4, 8])
@pytest.mark.parametrize("offset", [0, 1])
def test_the_mean_of_a_ramp_has_its_declared_shift(stride, offset):
    ramp = torch.arange(48.0 + offset).view(1, -1, 1)
    out = decimate(
        Batch(x=ramp, y=torch.zeros(1)), stride, offset=offset, decimator="mean"
    ).x.flatten()
    dropped = ramp[0, offset::stride, 0]
    assert torch.equal(out, dropped + mean_shift(stride))
    assert mean_shift(stride) == (stride - 1) / 2


@pytest.mark.parametrize("stride", [2, 4])
@pytest.mark.parametrize("offset", [0, 1])
def test_the_filter_keeps_what_it_should_and_removes_the_rest(stride, offset):
    t = torch.arange(1600.0, dtype=torch.float64)
    nyquist = math.pi / stride

    def through(share):
        wave = torch.sin(share * nyquist * t)
        batch = Batch(x=wave.view(1, -1, 1), y=torch.zeros(1))
        out = decimate(batch, stride, offset=offset, decimator="fir").x[0, :, 0]
        # the first and last 40 lean on samples that were never recorded
        return out[40:-40], wave[offset::stride][40:-40]

    kept, wanted = through(0.7)
    assert float((kept - wanted).abs().max()) < 1e-5
    suppressed, _ = through(1.05)
    assert float(suppressed.abs().max()) < 1e-5  # 100 dB


def test_float32_is_filtered_as_well():
    # in float64 first: the phase of the last samples has no room in float32
    t = torch.arange(1600.0, dtype=torch.float64)
    wave = torch.sin(0.7 * math.pi / 4 * t).float()
    out = decimate(Batch(x=wave.view(1, -1, 1), y=torch.zeros(1)), 4, decimator="fir").x[0, :, 0]
    assert out.dtype == torch.float32
    # the filter's own 1e-6, and 321 products of sums below 1.6 rounded at 6e-8 each, in the mean
    assert float((out - wave[::4])[40:-40].abs().max()) < 1e-5


def test_the_filter_is_that_of_resample_row_by_row():
    random = np.random.default_rng(0)
    lengths = [700, 483, 612]
    x = np.full((3, 700, 2), np.nan)
    for row, n in enumerate(lengths):
        x[row, :n] = random.normal(size=(n, 2)).cumsum(0)
    batch = Batch(x=torch.from_numpy(x), y=torch.zeros(3), lengths=torch.tensor(lengths))
    out = decimate(batch, 2, decimator="fir")
    assert out.lengths.tolist() == [350, 242, 306]
    for row, n in enumerate(lengths):
        alone = fir_decimate(x[row : row + 1, :n], 2)[0]
        # 161 products in another order
        np.testing.assert_allclose(
            out.x[row, : len(alone)].numpy(),
            alone,
            rtol=0,
            atol=161 * 2.3e-16 * np.abs(alone).max(),
        )


def test_a_shifted_phase_is_filtered_with_the_samples_before_it():
    x = torch.randn(1, 600, 1, dtype=torch.float64).cumsum(1)
    batch = Batch(x=x, y=torch.zeros(1))
    even, odd = (decimate(batch, 2, offset=k, decimator="fir").x[0, :, 0] for k in (0, 1))
    from timegrain.resample import fir_taps

    taps = torch.from_numpy(fir_taps(2))
    assert odd[100] == pytest.approx(float((x[0, 201 - 80 : 201 + 81, 0] * taps).sum()), rel=1e-12)
    assert even[100] == pytest.approx(float((x[0, 200 - 80 : 200 + 81, 0] * taps).sum()), rel=1e-12)


def test_gradients_pass_the_filter_and_the_mean():
    for decimator in ("mean", "fir"):
        x = torch.randn(2, 500, 1, requires_grad=True)
        batch = Batch(x=x, y=torch.zeros(2), lengths=torch.tensor([500, 490]))
        decimate(batch, 2, decimator=decimator).x.sum().backward()
        assert bool(torch.isfinite(x.grad).all())
        assert not bool(x.grad[1, 490:].any())


def test_a_series_too_short_for_the_filter_is_answered_by_an_outcome():
    fit = decimator_fit(torch.tensor([2000, 962]), 4, "fir")
    assert (fit.outcome, fit.shortest) == (Outcome.SIGNAL_TOO_SHORT, 963)
    assert "963 samples" in fit.reason
    assert decimator_fit(torch.tensor([963]), 4, "fir").outcome is Outcome.MEASURED
    assert decimator_fit(torch.tensor([5]), 4, "mean").outcome is Outcome.MEASURED
    batch = Batch(x=torch.zeros(1, 962, 1), y=torch.zeros(1))
    with pytest.raises(GridError, match="963 samples"):
        decimate(batch, 4, decimator="fir")


def test_symbols_are_not_averaged():
    batch = Batch(x=torch.zeros(1, 600, dtype=torch.long), y=torch.zeros(1))
    for decimator in ("mean", "fir"):
        with pytest.raises(LayoutError, match="embedding"):
            decimate(batch, 2, decimator=decimator)
    with pytest.raises(ConfigError, match="median"):
        decimate(batch, 2, decimator="median")
