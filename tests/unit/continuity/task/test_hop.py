import numpy as np
import pytest

import timegrain as tg
from timegrain.continuity.task.cut import cut
from timegrain.core.errors import ConfigError


def pieces(lengths, window, hop):
    return cut(np.array(lengths, dtype=np.int64), np.empty(0), window, hop=hop)


def test_pieces_start_every_hop_within_their_sequence():
    found = pieces([10, 7, 3], 4, 3)
    assert found.pieces.starts.tolist() == [0, 3, 6, 10, 13]
    assert found.pieces.stops.tolist() == [4, 7, 10, 14, 17]
    assert found.pieces.groups.tolist() == [0, 0, 0, 1, 1]
    assert found.n_dropped == 1  # the sequence of three samples
    assert found.n_samples == 17  # those in two pieces count once


def test_a_hop_beyond_the_window_leaves_samples_out():
    found = pieces([20], 4, 8)
    assert found.pieces.starts.tolist() == [0, 8, 16] and found.unit == "piece"
    assert found.n_samples == 12


def test_pieces_of_one_series_that_overlap_are_put_into_spans():
    found = pieces([1000], 100, 50)
    assert found.unit == "span" and found.pieces.n_groups == 5
    assert np.bincount(found.pieces.groups).tolist() == [4, 4, 4, 4, 3]


def test_a_hop_of_the_window_changes_nothing():
    x = np.random.default_rng(0).normal(size=(3, 500)).cumsum(axis=1)
    whole, hopped = (tg.task_continuity(x, window=100, hop=h) for h in (None, 100))
    assert whole.discontinuity == hopped.discontinuity and whole.interval == hopped.interval


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"hop": 3}, "a hop needs a window"),
        ({"hop": 0, "window": 9}, "a hop is a number"),
        ({"hop": 2.0, "window": 9}, "a hop is a number"),
    ],
)
def test_what_is_no_hop_is_refused(options, match):
    with pytest.raises(ConfigError, match=match):
        tg.task_continuity(np.arange(50.0), **options)


def test_the_interval_of_overlapping_pieces_is_not_made_narrow_by_counting_twice():
    x = np.random.default_rng(1).normal(size=6400).cumsum()
    apart, close = (tg.task_continuity(x, window=100, hop=h).interval for h in (None, 10))
    # ten times as many pieces hold no more information than the series does
    assert close[1] - close[0] > 0.6 * (apart[1] - apart[0])
