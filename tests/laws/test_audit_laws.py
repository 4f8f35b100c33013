"""No sample is invented or lost by the audit, whatever the clock did."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from timegrain.core.errors import DataError
from timegrain.data.audit import Stretch, audit_recording, common_clock
from timegrain.data.audit.recording import Clock

STEPS = st.lists(
    st.one_of(
        st.just(1.0),
        st.floats(0.9, 1.1),
        st.floats(0.001, 500.0),
        st.just(0.0),
        st.floats(-1000.0, -0.5),
    ),
    min_size=1,
    max_size=60,
)


@settings(max_examples=300, deadline=None)
@given(steps=STEPS, start=st.floats(-1e6, 1e6))
def test_every_row_is_accounted_for(steps, start):
    times = start + np.concatenate([[0], np.cumsum(steps)])
    n = len(times)
    rows = Stretch(times=times, values=np.arange(1.0, n + 1)[:, None], target=np.arange(n))
    try:
        found = audit_recording(rows, Clock(unit="s"), recording="r", where="x")
    except DataError:
        return
    audit = found.audit
    values = np.concatenate([s.values[:, 0] for s in found.stretches])
    known = values[~np.isnan(values)]
    lonely = sum("alone" in a for a in audit.actions)
    left = n - audit.n_duplicates
    assert len(known) <= left
    if not lonely:
        assert len(known) == left
        # means of rows that share a time keep the order; each is among the rows it stands for
        assert known.min() >= 1 and known.max() <= n
    assert np.isnan(values).sum() <= min(audit.n_missing_rows, 128 * audit.n_gaps)
    assert all((np.diff(s.times) > 0).all() and len(s) == len(s.target) for s in found.stretches)
    starts = [s.start for s in found.stretches]
    assert starts == np.cumsum([0, *(len(s) for s in found.stretches)])[:-1].tolist()
    assert len(found.stretches) <= audit.n_resets + 1
    assert 0 <= audit.share_missing < 1
    clock = common_clock([found])
    assert clock.dt > 0 and np.isfinite(clock.dt)


@settings(max_examples=100, deadline=None)
@given(
    n=st.integers(3, 200),
    gaps=st.lists(st.tuples(st.integers(1, 198), st.integers(1, 300)), max_size=4),
    shift=st.floats(-1e5, 1e5),
    scale=st.sampled_from([1e-3, 0.01, 1.0, 3600.0]),
)
def test_findings_do_not_depend_on_the_origin_or_the_unit(n, gaps, shift, scale):
    ticks = np.arange(n, dtype=float)
    for at, size in gaps:
        ticks[min(at, n - 1) :] += size

    def audit(times):
        rows = Stretch(times=times, values=ticks[:, None])
        return audit_recording(rows, Clock(unit="s"), recording="r", where="x").audit

    one, other = audit(ticks), audit((ticks + round(shift)) * scale)
    for field in ("regular", "n_gaps", "n_missing_rows", "n_duplicates", "n_resets"):
        assert getattr(one, field) == getattr(other, field)
    assert np.isclose(other.gap_time, one.gap_time * scale, rtol=1e-6)
