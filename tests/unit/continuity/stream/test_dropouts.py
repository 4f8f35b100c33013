"""Stretches of very different loudness with dropouts between them: an accumulator measures what
`task_continuity` does.

Tolerance: as in `test_accumulator`, sums of n rounded terms in another order differ by n eps each.
Two things may enlarge that. A sample is taken relative to a first one, that of its tile or of its
sequence, and so is off by `eps` of the range R: a residual is off by 4 eps R at most, and its
square, of mean `q = D s^2` or more, by `8 eps R / sqrt(q)` of itself. About a line the variance is
what two larger numbers leave, the one about the mean and the share of the line.
"""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import timegrain as tg

EPS = np.finfo(float).eps
RTOL = 4.4e-11

stretches = st.lists(
    st.tuples(
        st.sampled_from([40, 511, 700, 8192, 9000]),  # samples
        st.floats(-6, 6),  # log10 of their loudness
        st.sampled_from([0, 1, 512, 700, 5000, 9000]),  # samples missing behind them
    ),
    min_size=1,
    max_size=5,
)


def loud_and_quiet(rng, parts):
    out = []
    for n, scale, gap in parts:
        out += [10.0**scale * np.cumsum(rng.standard_normal(n)), np.full(gap, np.nan)]
    return np.concatenate(out)


def variances(x, detrend):
    """About the mean, and about the line if that is asked for."""
    t = np.flatnonzero(~np.isnan(x))
    values = x[t]
    about = float(values.var(ddof=1))
    if not detrend:
        return about, about
    d = t - t.mean()
    rest = values - values.mean() - d * (d @ (values - values.mean())) / (d @ d)
    return about, float(rest @ rest) / (len(t) - 2)


def streamed(sequences, rng, **options):
    stream = tg.ContinuityAccumulator(**options)
    for i, x in enumerate(sequences):
        cuts = np.sort(rng.integers(0, len(x), 3))
        for start, chunk in zip([0, *cuts], np.split(x, cuts), strict=True):
            stream.update(chunk, sequence=i, start=int(start))
    return stream.result()


@given(
    sequences=st.lists(stretches, min_size=1, max_size=3),
    options=st.sampled_from(
        [{}, {"detrend": "linear"}, {"window": 500}, {"window": 5000, "detrend": "linear"}]
    ),
    seed=st.integers(0, 99),
)
@example(sequences=[[(4000, -3.0, 700), (15300, 0.0, 0)]], options={}, seed=0)
@example(sequences=[[(4000, -3.0, 700), (15300, 0.0, 0)]], options={"detrend": "linear"}, seed=0)
@example(sequences=[[(4000, 3.0, 9000), (5000, 0.0, 0)]] * 2, options={}, seed=0)
@settings(max_examples=50, deadline=None)
def test_dropouts_between_quiet_and_loud_stretches_change_nothing(sequences, options, seed):
    rng = np.random.default_rng(seed)
    data = [loud_and_quiet(rng, parts) for parts in sequences]
    compare(data, rng, options)
    if len(data) > 1:  # a quiet one has no share beside a loud one
        compare(data[:1], rng, options)


def compare(data, rng, options):
    if max(map(len, data)) < options.get("window", 3):
        return
    try:
        whole = tg.task_continuity([x[:, None] for x in data], **options)
    except tg.DataError:  # no three neighbours in whole pieces
        with pytest.raises(tg.DataError):
            streamed(data, rng, **options)
        return
    got = streamed(data, rng, **options)
    about, rest = np.array([variances(x, "detrend" in options) for x in data]).T
    # pieces are taken in one and the same way
    own = "window" in options
    widest = 0.0 if own else max(np.nanmax(x) - np.nanmin(x) for x in data)
    order = RTOL * (1.0 if own else float((about / rest).max()))
    assert list(got.discontinuity) == list(whole.discontinuity)
    for k, d in whole.discontinuity.items():
        share = 8 * EPS * widest / np.sqrt(max(d, 1e-300) * rest.mean())
        assert got.discontinuity[k] == pytest.approx(d, rel=order + share)
    for field in ("n_pieces", "n_samples", "n_dropped", "n_skipped", "n_triples", "n_missing"):
        assert getattr(got, field) == getattr(whole, field), field
    assert got.group == whole.group or len(data) == 1
    assert got.intermittency == pytest.approx(whole.intermittency, rel=1e-7, abs=1e-7)
