"""Every line of the timestamp policy, on arrays."""

import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.data.audit import Stretch, audit_recording, common_clock
from timegrain.data.audit.recording import Clock

RNG = np.random.default_rng(0)


def audited(times, values=None, target=None, **clock):
    times = np.asarray(times, dtype=float)
    values = np.arange(len(times), dtype=float) if values is None else np.asarray(values, float)
    rows = Stretch(times=times, values=values.reshape(len(times), -1), target=target)
    clock = Clock(**{"unit": "s", **clock})
    return audit_recording(rows, clock, recording="r", where="log.csv", alone=False)


def only(found):
    (stretch,) = found.stretches
    return stretch


def test_a_clean_recording_is_passed_on_uncopied():
    times = np.arange(100.0)
    rows = Stretch(times=times, values=RNG.normal(size=(100, 2)))
    found = audit_recording(rows, Clock(unit="s"), recording="r", where="log.csv")
    assert np.shares_memory(only(found).values, rows.values)
    audit = found.audit
    assert (audit.step, audit.jitter, audit.regular) == (1.0, 0.0, True)
    assert audit.actions == () and audit.share_missing == 0
    assert (audit.n_gaps, audit.n_duplicates, audit.n_resets) == (0, 0, 0)


def test_equal_times_are_averaged_and_counted():
    found = audited([0, 1, 1, 1, 2, 3, 4], [0, 1, np.nan, 4, 7, 8, 9])
    assert found.audit.n_duplicates == 2
    assert only(found).values[:, 0].tolist() == [0, 2.5, 7, 8, 9]
    assert "2 rows with the time of the row before averaged with it" in found.audit.actions[0]


def test_a_class_at_a_repeated_time_is_the_first_and_a_value_the_mean():
    times = [0, 1, 1, 2, 3]
    assert only(audited(times, target=np.array([0, 1, 2, 3, 4]))).target.tolist() == [0, 1, 3, 4]
    target = np.array([0.0, 1.0, 2.0, np.nan, 4.0])
    np.testing.assert_array_equal(only(audited(times, target=target)).target, [0, 1.5, np.nan, 4])


def test_a_step_back_cuts_the_recording():
    found = audited([10, 11, 12, 13, 14, 15, 16, 2, 3, 4, 5, 6])
    assert [len(s) for s in found.stretches] == [7, 5]
    assert [s.start for s in found.stretches] == [0, 7]
    assert found.audit.n_resets == 1 and found.audit.step == 1
    assert "goes back once, after row 7 by 14 s: cut there into 2 parts" in found.audit.actions[0]


def test_a_single_sample_between_two_steps_back_is_left_out_and_said():
    found = audited([*range(10, 22), 5, *range(2, 14)])
    assert [len(s) for s in found.stretches] == [12, 12]
    assert any("1 row alone" in a for a in found.audit.actions)


def test_rows_latest_first_are_turned_around():
    found = audited([3, 2, 1, 0], [9, 8, 7, 6])
    assert only(found).values[:, 0].tolist() == [6, 7, 8, 9]
    assert only(found).times.tolist() == [0, 1, 2, 3]
    assert found.audit.n_resets == 0 and "turned around" in found.audit.actions[0]


def test_shuffled_rows_and_several_recordings_in_one_are_an_error():
    with pytest.raises(DataError, match=r"(?s)log.csv: the rows are not in the order.*id="):
        audited(RNG.permutation(100))
    with pytest.raises(DataError, match=r"(?s)20 rows at 10 times.*id="):
        audited(np.repeat(np.arange(10), 2))


@pytest.mark.parametrize("missing", [1, 5, 127, 128, 129, 4000])
def test_gaps_of_a_regular_recording_are_left_open(missing):
    times = np.concatenate([np.arange(200), 200 + missing + np.arange(200)]) * 0.01
    found = audited(times, np.arange(400))
    audit, stretch = found.audit, only(found)
    rows = min(missing, 128)
    assert (audit.n_gaps, audit.n_missing_rows) == (1, missing)
    assert audit.gap_time == pytest.approx(missing * 0.01)
    assert audit.longest_gap == audit.gap_time
    assert audit.share_missing == pytest.approx(missing / (400 + missing))
    empty = np.isnan(stretch.values[:, 0])
    assert np.flatnonzero(empty).tolist() == list(range(200, 200 + rows))
    assert (np.diff(stretch.times) > 0).all()
    moved = np.where(times > 2, (missing - rows) * 0.01, 0)
    np.testing.assert_allclose(stretch.times[~empty], times - moved, rtol=0, atol=1e-12)
    assert "1 gap left open" in audit.actions[0]
    assert (f"for {missing:,} missing" in audit.actions[0]) == (missing > 128)


def test_no_interval_of_the_longest_stride_spans_a_long_gap():
    times = np.concatenate([np.arange(200), 1000 + np.arange(200)])
    empty = np.isnan(only(audited(times)).values[:, 0])
    known = ~empty
    for stride in range(2, 65):
        for phase in range(stride):
            kept = known[phase::stride]
            left = np.flatnonzero(kept)
            ends = left * stride + phase
            neighbours = np.diff(left) == 1
            crossed = (ends[:-1] < 200) & (ends[1:] >= 328) & neighbours
            assert not crossed.any()


def test_a_step_of_one_and_a_half_medians_is_no_gap_and_one_above_is():
    base = np.arange(50.0)
    assert audited([*base, 50.5, 51.5]).audit.n_gaps == 0
    assert audited([*base, 50.51, 51.51]).audit.n_gaps == 1


def test_irregular_recordings_have_gaps_above_twenty_medians_only():
    steps = RNG.exponential(size=1000) + 0.01
    steps[500] = 19 * np.median(steps)
    found = audited(np.cumsum(steps))
    assert not found.audit.regular and found.audit.n_gaps == 0
    steps[500] = 30 * np.median(steps)
    found = audited(np.cumsum(steps))
    assert found.audit.n_gaps == 1 and found.audit.n_missing_rows == 29


def test_the_class_before_a_gap_holds_in_it_and_a_value_is_missing_there():
    times = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17]
    classes = np.array([0] * 9 + [1] + [2] * 6)
    assert only(audited(times, target=classes)).target.tolist() == [0] * 9 + [1] * 3 + [2] * 6
    values = only(audited(times, target=classes.astype(float))).target
    assert np.flatnonzero(np.isnan(values)).tolist() == [10, 11]


def test_jitter_is_half_the_spread_of_the_steps():
    steps = 1 + RNG.uniform(-0.1, 0.1, size=20000)
    assert audited(np.cumsum(steps)).audit.jitter == pytest.approx(0.09, rel=0.02)


def test_small_jitter_is_dropped_for_a_uniform_grid_and_large_is_kept():
    for size, kept in ((1e-4, False), (1e-2, True)):
        times = 0.01 * (np.arange(1000) + size * RNG.uniform(-1, 1, size=1000))
        clock = common_clock([audited(times)])
        assert (clock.times is not None) == kept
        assert clock.dt == pytest.approx(0.01, rel=1e-4)
        done = "times are kept" if kept else "left out for it"
        assert done in clock.audits[0].actions[-1]


def test_an_exact_grid_needs_no_sentence_and_keeps_its_step():
    clock = common_clock([audited([0.0, 0.1, 0.2, 0.30000000000000004])])
    assert (clock.dt, clock.times, clock.audits[0].actions) == (0.1, None, ())


def test_recordings_of_different_steps_keep_their_times_and_are_noted():
    clock = common_clock([audited(np.arange(10)), audited(2 * np.arange(10))])
    assert clock.dt == 1.5 and len(clock.times) == 2
    assert "differ in their step, 1 to 2 s" in clock.notes[0]


def test_times_of_a_stretch_count_from_its_first():
    clock = common_clock([audited([10, 11, 12.2, 13, 14, 15, 16, 2, 3, 4, 5.1, 6])])
    assert [t[0] for t in clock.times] == [0, 0]


def test_midnight_is_no_reset_for_times_of_day():
    times = [86398, 86399, 0, 1, 2]
    found = audited(times, day=86400.0)
    assert only(found).times.tolist() == [86398, 86399, 86400, 86401, 86402]
    assert found.audit.n_resets == 0 and "1 midnight passed" in found.audit.actions[0]


def test_local_times_that_fall_back_by_an_hour_hint_at_daylight_saving():
    minutes = np.arange(0, 180, 10) * 60.0
    back = np.concatenate([minutes, minutes[-6:], minutes[-1] + 600 * np.arange(1, 9)])
    assert any("daylight saving" in a for a in audited(back, local=True).audit.actions)
    assert not any("daylight saving" in a for a in audited(back).audit.actions)
    hourly = 3600.0 * np.array([0, 1, 2, 2, 3, 4, 5])
    assert any("daylight saving" in a for a in audited(hourly, local=True).audit.actions)


def test_offsets_from_utc_are_counted_where_they_change():
    audit = audited(np.arange(9), offsets=("+01:00", "+02:00")).audit
    assert audit.n_zone_changes == 1
    assert "UTC; their offset changes from +01:00 to +02:00" in audit.actions[0]
    assert audited(np.arange(9), offsets=("+01:00",)).audit.n_zone_changes == 0


@pytest.mark.parametrize("times", [[0, np.nan, 2], [0, np.inf, 2], [1.0], [1, 1]])
def test_times_that_are_none(times):
    with pytest.raises(DataError, match=r"log\.csv"):
        audited(times)


def test_missing_values_count_in_the_share():
    audit = audited(np.arange(4), [[1, np.nan], [1, 2], [3, 4], [np.nan, np.nan]]).audit
    assert audit.share_missing == 3 / 8
