"""One pass over chunks against one array, and against itself however the work is cut.

Tolerance against an array: sums of n rounded terms in another order differ by n eps at most, and
pairwise ones by far less; series here have n < 10^5, and D is a ratio of two: 2 * 10^5 * 2.2e-16.
"""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import timegrain as tg
from timegrain.core.errors import ConfigError, DataError, ResultError
from timegrain.kernels.discontinuity.tile.numba_ import tile_size

RTOL = 4.4e-11


def walk(n, channels=1, *, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.standard_normal((n, channels)), axis=0)
    x[rng.random(x.shape) < missing] = np.nan
    return x


def one_go(sequences, **options):
    stream = tg.ContinuityAccumulator(**options)
    for i, x in enumerate(sequences):
        stream.update(x, sequence=i)
    return stream


def told(stream):
    """Everything the result says but the time it was made at."""
    data = stream.result().to_dict()
    del data["provenance"]
    return data


SETTINGS = [
    {},
    {"detrend": "linear"},
    {"window": 128},
    {"window": 5000, "detrend": "linear"},
    {"strides": (2, 3, 5, 9, 64)},
    {"strides": (2, 1500)},
]


@pytest.mark.parametrize("options", SETTINGS)
@pytest.mark.parametrize("lengths", [[900], [4160], [40_000], [300, 9_000, 2, 17_000]])
def test_it_measures_what_task_continuity_does(options, lengths):
    x = walk(sum(lengths), 2, missing=0.003) + 1e6
    sequences = np.split(x, np.cumsum(lengths)[:-1])
    if options.get("window", 0) > max(lengths):
        return
    whole = tg.task_continuity(sequences, **options)
    streamed = one_go(sequences, **options).result()
    for k, d in whole.discontinuity.items():
        assert streamed.discontinuity[k] == pytest.approx(d, rel=RTOL)
    assert list(whole.discontinuity) == list(streamed.discontinuity)
    for field in ("horizon", "horizon_open", "worst_channel", "outcome", "n_pieces", "n_samples",
                  "n_dropped", "n_skipped", "n_triples", "n_missing"):  # fmt: skip
        assert getattr(whole, field) == getattr(streamed, field), field
    assert streamed.intermittency == pytest.approx(whole.intermittency, rel=1e-9, abs=1e-12)
    # one minus it is a ratio of two sums, as D is
    assert 1 - streamed.autocorrelation == pytest.approx(1 - whole.autocorrelation, rel=RTOL)
    assert "spectral_edge" in streamed.reasons and "autocorrelation" not in streamed.reasons
    tile = tile_size(max(options.get("strides", (64,))))
    fixed = any("blocks at fixed places" in note for note in streamed.notes)
    assert fixed == (streamed.group == "block" and streamed.n_samples > tile)
    if len(lengths) > 1:  # the same cases: the sequences
        assert streamed.interval == pytest.approx(whole.interval, rel=RTOL)
        assert streamed.group == whole.group


@pytest.mark.parametrize("window", [None, 100])
def test_tokens(window):
    tokens = np.random.default_rng(1).choice(np.array([-5, 0, 3, 10**12]), 12_000)
    whole = tg.task_continuity([tokens], kind="tokens", window=window)
    stream = tg.ContinuityAccumulator(kind="tokens", window=window)
    for i in range(0, 12_000, 700):
        stream.update(tokens[i : i + 700])
    for k, d in whole.discontinuity.items():
        assert stream.result().discontinuity[k] == pytest.approx(d, rel=RTOL)


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_cutting_and_merging_change_nothing(data):
    options = data.draw(st.sampled_from(SETTINGS))
    lengths = data.draw(st.sampled_from([[5_002], [23_457], [5_001, 10, 9_000]]))
    missing = data.draw(st.sampled_from([0.0, 0.01]))
    x = walk(sum(lengths), 2, missing=missing)
    sequences = np.split(x, np.cumsum(lengths)[:-1])
    parts = []
    for i, sequence in enumerate(sequences):
        cuts = data.draw(st.lists(st.integers(1, len(sequence) - 1), max_size=12))
        edges = sorted({0, *cuts, len(sequence)})
        parts += [(i, a, sequence[a:b]) for a, b in pairwise(edges)]
    order = data.draw(st.permutations(range(len(parts))))
    streams = [tg.ContinuityAccumulator(**options) for _ in range(data.draw(st.integers(1, 4)))]
    for place in order:
        i, start, chunk = parts[place]
        streams[data.draw(st.integers(0, len(streams) - 1))].update(chunk, sequence=i, start=start)
    while len(streams) > 1:
        a = streams.pop(data.draw(st.integers(0, len(streams) - 1)))
        b = data.draw(st.integers(0, len(streams) - 1))
        if data.draw(st.booleans()):
            a = tg.ContinuityAccumulator.from_json(a.to_json())
        if data.draw(st.booleans()):
            streams[b].merge(a)
        else:
            a.merge(streams[b])
            streams[b] = a
    assert told(streams[0]) == told(one_go(sequences, **options))


def test_single_samples_in_reverse_change_nothing():
    x = walk(700)
    stream = tg.ContinuityAccumulator(window=50)
    for i in reversed(range(700)):
        stream.update(x[i], start=i)
    assert told(stream) == told(one_go([x], window=50))


def test_a_merged_accumulator_stays_as_it_was():
    x = walk(20_000)
    a, b = tg.ContinuityAccumulator(), tg.ContinuityAccumulator()
    a.update(x[:9_000])
    b.update(x[9_000:], start=9_000)
    before = b.to_json()
    a.merge(b)
    a.update(walk(9_000, seed=3), start=20_000)
    assert b.to_json() == before


def test_the_buffer_of_a_chunk_may_be_used_again():
    x, buffer = walk(10_000), np.empty((1000, 1))
    stream = tg.ContinuityAccumulator()
    for i in range(10):
        buffer[:] = x[1000 * i : 1000 * (i + 1)]
        stream.update(buffer)
    assert told(stream) == told(one_go([x]))


def test_the_state_is_exact_and_small():
    x = walk(300_000, missing=0.001)
    stream = tg.ContinuityAccumulator()
    stream.update(x[1:200_000], start=1)
    again = tg.ContinuityAccumulator.from_json(stream.to_json())
    assert again.to_json() == stream.to_json()
    # both ends raw (2 tiles), 64 nodes and those at the edges, of 44 numbers; base64 adds a third
    assert len(stream.to_json()) < 4 / 3 * 8 * (2 * (tile_size(64) + 64) + (64 + 40) * 44) + 10_000
    for each in (again, stream):
        each.update(x[:1], start=0)
        each.update(x[200_000:])
    assert told(again) == told(stream) == told(one_go([x]))


def test_missing_and_doubled_samples_are_named():
    x = walk(9000)
    stream = tg.ContinuityAccumulator()
    stream.update(x[:4000], sequence=7)
    stream.update(x[5000:], sequence=7, start=5000)
    with pytest.raises(DataError, match="none of samples 4,000 to 4,999 of sequence 7"):
        stream.result()
    stream.update(x[3990:5000], sequence=7, start=3990)
    with pytest.raises(DataError, match=r"samples 3,990 to 3,999 of sequence 7 twice"):
        stream.result()
    late = tg.ContinuityAccumulator()
    late.update(x, start=10)
    with pytest.raises(DataError, match="none of samples 0 to 9 of"):
        late.result()
    with pytest.raises(DataError, match="no samples were given"):
        tg.ContinuityAccumulator().result()


def test_settings_must_agree():
    a, b = tg.ContinuityAccumulator(window=10), tg.ContinuityAccumulator(window=20)
    with pytest.raises(ConfigError, match="differ in window="):
        a.merge(b)
    a.update(np.zeros((50, 2)))
    with pytest.raises(DataError, match="other channels"):
        a.update(np.zeros((50, 3)))
    c = tg.ContinuityAccumulator(window=10, n_channels=3)
    with pytest.raises(ConfigError, match="differ in their channels"):
        a.merge(c)
    with pytest.raises(ConfigError, match="with itself"):
        a.merge(a)
    with pytest.raises(ConfigError, match="start="):
        a.update(np.zeros((5, 2)), start=-1)
    with pytest.raises(ConfigError, match="channel names do not fit"):
        tg.ContinuityAccumulator(n_channels=2, channel_names=["a"])


def test_infinite_values_and_whole_numbers_beyond_floats_are_refused():
    stream = tg.ContinuityAccumulator()
    stream.update(np.array([0.0, np.inf, 1.0]))
    with pytest.raises(DataError, match="finite"):
        stream.result()
    with pytest.raises(DataError, match="lose digits"):
        tg.ContinuityAccumulator().update(np.array([2**60, 2**60 + 1]))


def test_what_one_pass_cannot_have_is_null_with_a_reason():
    result = one_go([np.sin(np.arange(20_000) / 30)]).result()
    assert result.event_error is None and "percentile" in result.reasons["event_error"]
    assert json.loads(result.to_json())["reasons"]["spectral_edge"]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"schema": "timegrain-stream", "schema_version": 9}', "NaN", "[" * 2000],
)
def test_a_damaged_state_is_refused(text):
    with pytest.raises(ResultError, match="no state of a stream"):
        tg.ContinuityAccumulator.from_json(text)


def test_a_state_with_inconsistent_parts_is_refused():
    stream = one_go([walk(100_000)])
    good = json.loads(stream.to_json())
    for path, value in (
        (("stop",), 5),
        (("nodes", "last"), 3),
        (("nodes", "values"), "AAAA"),
        (("nodes", "levels"), [0]),
        (("head",), None),
    ):
        data = json.loads(json.dumps(good))
        part = data["sequences"][0]["runs"][0]
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value
        with pytest.raises(ResultError, match="no state of a stream"):
            tg.ContinuityAccumulator.from_json(json.dumps(data))


def test_any_offset_and_unit_measure_the_same():
    x = np.round(walk(30_000) * 2**10) / 2**10
    plain = told(one_go([x]))
    for other in (x + 2.0**30, np.ldexp(x, 400), np.ldexp(x, -900)):
        moved = told(one_go([other]))
        for a, b in zip(plain["profile"], moved["profile"], strict=True):
            assert a["discontinuity"] == pytest.approx(b["discontinuity"], rel=1e-9)
    constant_then_steps = np.repeat([0.0, 5.0, 5.0, 1.0], 3000)
    whole = tg.task_continuity(constant_then_steps)
    got = one_go([constant_then_steps]).result().discontinuity
    for k, d in whole.discontinuity.items():
        assert got[k] == pytest.approx(d, rel=RTOL)


def test_ten_million_samples_take_no_more_memory_than_one_million():
    import tracemalloc

    def peak(chunks):
        chunk = walk(100_000)
        stream = tg.ContinuityAccumulator()
        tracemalloc.start()
        for _ in range(chunks):
            stream.update(chunk)
        stream.result()
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(2)
    small, large = peak(10), peak(100)
    assert large < small + 100_000
