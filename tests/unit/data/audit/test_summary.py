"""What people read of the audits."""

import numpy as np

from timegrain.data.audit import Stretch, audit_recording, common_clock
from timegrain.data.audit.recording import Clock
from timegrain.data.audit.summary import audit_lines


def lines(*times, local=False):
    found = []
    for i, t in enumerate(times):
        t = np.asarray(t, dtype=float)
        rows = Stretch(times=t, values=t[:, None])
        clock = Clock(unit="s", local=local)
        found.append(audit_recording(rows, clock, recording=f"p{i}", where="x", alone=False))
    clock = common_clock(found)
    return dict(audit_lines(clock.audits, kept=clock.times is not None))


def test_nothing_is_said_without_times():
    assert audit_lines((), kept=False) == []


def test_a_clean_recording_takes_one_line():
    assert lines(np.arange(100) * 0.01) == {
        "timestamps": "a step of 10 ms (100 Hz): taken for a uniform grid"
    }


def test_every_finding_has_its_line():
    gap = [*range(20), *range(30, 50)]
    reset = [*range(40, 60), *range(10, 30)]
    twice = [*range(20), 19, *range(20, 40)]
    found = lines(gap, reset, twice, range(20))
    assert found["timestamps"].startswith("4 recordings, a step of 1 s:")
    assert found["gaps"] == (
        "1 gap in 1 recording, 10 s: 10 rows missing, left open, no line is drawn across"
    )
    assert found["resets"] == "1 step back in time (p1): cut there"
    assert found["repeats"].startswith("1 row in 1 recording with the time of the row before")
    # 10 of 50, 40, 40 and 20 samples
    assert found["missing"] == "6.7 % of all values, those in gaps included"


def test_what_no_number_counts_is_said_once_for_all():
    found = lines(range(9, 0, -1), range(9, 0, -1), range(9))
    assert found["done"] == "the rows came latest first and were turned around (2 recordings)"


def test_daylight_saving_is_hinted_at_where_it_shows():
    hourly = 3600.0 * np.array([0, 1, 2, 2, 3, 4, 5])
    assert "daylight saving" in lines(hourly, local=True)["repeats"]
