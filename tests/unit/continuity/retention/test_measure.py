import json
from dataclasses import replace

import numpy as np
import pytest

from timegrain.continuity import label_retention
from timegrain.continuity.retention.cases import make_cases
from timegrain.continuity.retention.draw import capped
from timegrain.continuity.retention.filtered import low_passed_cases
from timegrain.continuity.retention.gaps import fill
from timegrain.continuity.retention.intervals import Estimate, Redraws, interval_units, retained
from timegrain.continuity.retention.thinned import thinned
from timegrain.core.errors import ConfigError, DataError, UnknownNameError
from timegrain.core.result import read_result
from timegrain.data.dataset import Dataset
from timegrain.models import RidgeBaseline
from timegrain.resample import fir_decimate

QUICK = {"strides": (2,), "repeats": 1, "replicates": 99}


def waves(cases=60, time=80, seed=0, noise=1.3, **more):
    """Two classes that differ in frequency, with noise."""
    random = np.random.default_rng(seed)
    y = np.arange(cases) % 2
    phase = random.uniform(0, 6.3, (cases, 1))
    x = np.sin((0.2 + 0.1 * y[:, None]) * np.arange(time) + phase)
    x += noise * random.normal(size=x.shape)
    made = {"labels": y, "class_names": ("slow", "fast")} | more
    return Dataset(name="waves", sequences=tuple(x[..., None]), **made)


def test_the_probe_is_the_baseline_of_every_comparison():
    data = waves(120)
    found = label_retention(data, **QUICK)
    x, y = np.stack(data.sequences), data.labels
    each = [
        RidgeBaseline()
        .fit(x[np.arange(120) % 5 != k], y[np.arange(120) % 5 != k])
        .score(x[np.arange(120) % 5 == k], y[np.arange(120) % 5 == k])
        for k in range(5)
    ]
    # other folds and a scale from all cases: within two standard errors of 120 answers
    assert found.score == pytest.approx(np.mean(each), abs=2 * (0.25 / 120) ** 0.5)


def test_equal_seeds_give_equal_numbers():
    first, again = (label_retention(waves(), **QUICK) for _ in range(2))
    assert first.profile == again.profile
    assert label_retention(waves(), **QUICK, seed=1).profile != first.profile


def test_units_and_offsets_do_not_matter():
    data = waves()
    moved = replace(data, sequences=tuple(1000 * s + 5e4 for s in data.sequences))
    first, second = label_retention(data, **QUICK), label_retention(moved, **QUICK)
    # values rounded at 5e4 * 1e-16 / 1000 of their size may move an answer at a tie
    assert second.score == pytest.approx(first.score, abs=0.02)


def test_a_result_explains_itself_and_comes_back():
    found = label_retention(waves(dt=0.01, unit="s"), strides=(2, 4), replicates=99, repeats=1)
    again = read_result(json.dumps(found.to_dict()))
    assert again == found and found.to_arrow().num_rows == 3
    text = repr(found)
    assert max(len(line) for line in text.splitlines()) <= 80
    for words in ("baseline", "trivial", "stride 4", "step 0.04 s", "slow: 50 %", "60 cases"):
        assert words in text, words
    assert found.rows()[1]["stride"] == 2


@pytest.mark.parametrize("metric", ["balanced_accuracy", "macro_f1", "auroc"])
def test_other_metrics_of_classes(metric):
    found = label_retention(waves(), **QUICK, metric=metric)
    assert found.metric == metric and found.score > 0.7
    row = found.at(2)
    assert row.low < row.score < row.high


def test_a_lopsided_label_hints_at_another_metric():
    y = (np.arange(60) % 6 == 0).astype(np.int64)
    noise = np.random.default_rng(0).normal(size=(60, 30, 1))
    found = label_retention(replace(waves(), sequences=tuple(noise), labels=y), **QUICK)
    assert found.outcome.name == "CANNOT_TELL"
    assert "metric='balanced_accuracy'" in " ".join(repr(found).split())


def test_values():
    random = np.random.default_rng(0)
    level = random.normal(size=80)
    x = level[:, None] + random.normal(size=(80, 40))
    data = Dataset(name="levels", sequences=tuple(x[..., None]), labels=level * 100 + 1000)
    found = label_retention(data, **QUICK)
    assert (found.metric, found.target_kind, found.balance) == ("r2", "value", ())
    assert found.trivial_score == pytest.approx(0.0)
    # a mean of 40 samples of variance 1 explains 40 / 41 of a level of variance 1
    assert 0.7 < found.score < 40 / 41 + 0.02
    errors = label_retention(data, **QUICK, metric="mae")
    assert errors.perfect_score == 0 and errors.score < errors.trivial_score
    assert 0 < errors.profile[0].skill < 1


def test_a_forecast_looks_as_far_at_every_stride():
    t = np.arange(3000)
    x = np.sin(0.31 * t) + 0.1 * np.random.default_rng(0).normal(size=3000)
    data = Dataset(name="tone", sequences=(x[:, None],), dt=0.5, unit="s")
    made = make_cases(data, window=32, hop=16, ahead="2s", target=None)
    assert (made.window, made.ahead, made.at_end) == (32, 4, True)
    whole, half = thinned(made, 1, "phase")[0], thinned(made, 4, "phase")[0]
    # the sample a forecast is made at stays
    last = [np.array([s[-1, 0] for s in series]) for series in (whole, half)]
    np.testing.assert_allclose(*last, atol=0.05)
    found = label_retention(data, window=32, hop=16, ahead="2s", strides=(2, 4), replicates=99)
    assert found.split == "time" and found.score > 0.8
    assert found.at(4).retention > 0.8
    assert "4 samples (2 s) ahead" in " ".join(repr(found).split())


def test_a_target_a_sample():
    random = np.random.default_rng(0)
    state = np.repeat(random.permutation(np.arange(40) % 2), 60)
    x = random.normal(size=2400) * (1 + state)
    data = Dataset(
        name="s", sequences=(x[:, None],), targets=(state,), class_names=("calm", "busy")
    )
    with pytest.raises(DataError, match=r"(?s)a target a sample.*window="):
        label_retention(data)
    found = label_retention(data, window=20, hop=10, **QUICK)
    assert found.score > 0.7 and found.split == "time" and 2 <= found.n_groups <= 30


def test_groups_are_what_intervals_are_made_from():
    data = waves(60, groups=np.repeat(np.arange(12), 5))
    found = label_retention(data, **QUICK)
    assert (found.split, found.n_groups) == ("group", 12)
    assert "Student's t over 12 groups" in " ".join(repr(found).split())
    assert all(row.high <= 1 and row.skill_high <= 1 for row in found.profile)


def test_missing_samples_are_filled_after_thinning():
    data = waves()
    sequences = [s.copy() for s in data.sequences]
    sequences[0][3:6] = np.nan
    sequences[1][:] = np.nan
    found = label_retention(replace(data, sequences=tuple(sequences)), **QUICK)
    assert any("83 missing values" in note for note in found.notes)
    gap = np.array([[1.0], [9.0], [np.nan], [9.0], [5.0]])
    assert fill(gap[::2], 0.0)[:, 0].tolist() == [1.0, 3.0, 5.0]


def test_ragged_cases_and_symbols():
    data = waves()
    random = np.random.default_rng(0)
    cut = tuple(s[: random.integers(40, 81)] for s in data.sequences)
    assert label_retention(replace(data, sequences=cut), **QUICK).score > 0.6
    series, filled = thinned(
        make_cases(
            Dataset(
                name="t",
                sequences=(np.array([0, 2, 1]), np.array([1, 1, 0])),
                labels=np.array([0.0, 1.0]),
                kind="tokens",
            ),
            window=None,
            hop=None,
            ahead=None,
            target=None,
        ),
        2,
        "phase",
    )
    assert series[0].tolist() == [[1, 0, 0], [0, 1, 0]] and filled == 0


def test_filtering_takes_away_what_the_rate_cannot_show():
    t = np.arange(800)
    slow, fast = np.sin(0.05 * t), np.sin(2.5 * t)
    data = Dataset(name="two", sequences=((slow + fast)[:, None],) * 2, labels=np.array([0.0, 1.0]))
    made = make_cases(data, window=100, hop=100, ahead=None, target=None)
    kept = np.concatenate([s[:, 0] for s in thinned(made, 2, "fir")[0]][2:6])
    wanted = slow[::2][100:300]
    # mean and scale are those of all windows; the filter's own error is 1e-6
    assert np.corrcoef(kept, wanted)[0, 1] > 1 - 1e-9


def test_filtered_windows_are_those_of_the_filtered_recording():
    x = np.cumsum(np.random.default_rng(0).normal(size=(700, 2)), axis=0)
    data = Dataset(name="w", sequences=(x,) * 2, labels=np.array([0.0, 1.0]))
    made = make_cases(data, window=100, hop=50, ahead=None, target=None)
    whole = fir_decimate(x[None], 2)[0]
    for case, first in zip(low_passed_cases(made, 2), made.first, strict=True):
        # sums of 161 products of values below 100
        np.testing.assert_allclose(case[::2], whole[first // 2 :][:50], atol=1e-10)


def test_a_filter_before_a_forecast_does_not_see_what_comes():
    random = np.random.default_rng(0)
    x = random.normal(size=(1200, 1))
    changed = x.copy()
    changed[500:] = 7.0
    cases = [
        make_cases(Dataset(name="f", sequences=(source,)), window=60, hop=20, ahead=5, target=None)
        for source in (x, changed)
    ]
    before = cases[0].first + 60 <= 500
    first, second = (low_passed_cases(c, 4) for c in cases)
    assert 0 < before.sum() < len(first)
    for a, b, same in zip(first, second, before, strict=True):
        assert np.array_equal(a, b) == same
    # away from the ends it is the filter all others go through
    whole = fir_decimate(x[None], 4)[0, :, 0]
    long = make_cases(Dataset(name="f", sequences=(x,)), window=600, hop=4, ahead=5, target=None)
    case, at = low_passed_cases(long, 4)[10], long.first[10]
    middle = case[:400:4, 0]
    np.testing.assert_allclose(middle, whole[at // 4 :][:100], atol=1e-10)


def test_noise_is_not_forecast_from_filtered_samples():
    x = np.random.default_rng(0).normal(size=(4000, 1))
    data = Dataset(name="noise", sequences=(x,))
    for decimator in ("phase", "fir"):
        options = {"strides": (4,), "decimator": decimator, "repeats": 1, "replicates": 99}
        found = label_retention(data, window=40, hop=8, ahead=2, **options)
        # noise has no R2; a filter that looked ahead would reach .3
        assert found.at(4).score < 0.05


def test_strides_that_cannot_be_measured_have_a_reason():
    found = label_retention(waves(), strides=(2, 64), decimator="fir", repeats=1, replicates=99)
    assert found.at(2).score is None and "the filter needs 483 samples" in found.at(2).reason
    found = label_retention(waves(), strides=(2, 80), repeats=1, replicates=99)
    assert found.at(80).score is None and "keeps 1 sample" in found.at(80).reason
    assert "not measured: a case keeps 1 sample" in repr(found)


def test_many_cases_are_drawn_in_proportion():
    groups = np.repeat(np.arange(20), [30] * 10 + [10] * 10)
    y = np.arange(400) % 2
    data = Dataset(
        name="m",
        sequences=(np.zeros((4, 1)),) * 400,
        labels=y,
        class_names=("a", "b"),
        groups=groups,
    )
    made = make_cases(data, window=None, hop=None, ahead=None, target=None)
    some = capped(made, 100, 0)
    counts = np.bincount(groups[some.recording])
    assert len(some) == 100 and set(counts[:10]) <= {7, 8} and set(counts[10:]) <= {2, 3}
    assert 45 <= some.y.sum() <= 55
    assert "100 of 400 cases were drawn, in proportion from 20 groups" in some.notes[-1]
    assert capped(made, 400, 0) is made


@pytest.mark.parametrize("rare", [0, 1])
def test_a_draw_loses_no_class(rare):
    y = np.full(5000, 1 - rare)
    y[7] = rare
    data = Dataset(name="r", sequences=(np.zeros((4, 1)),) * 5000, labels=y, class_names=("a", "b"))
    made = make_cases(data, window=None, hop=None, ahead=None, target=None)
    some = capped(made, 20, 0)
    assert np.bincount(some.y).min() == 1 and len(some) == 20
    assert np.unique(some.recording).size == 20 and (some.y == y[some.recording]).all()
    assert some.notes[-1].endswith(
        "(seed 0); so that none is lost, a case was put in of 1 rare class"
    )
    found = label_retention(data, max_cases=20, metric="auroc", **QUICK)
    assert [(b.name, b.n_cases) for b in found.balance] == [
        (n, 1 if i == rare else 19) for i, n in enumerate("ab")
    ]


def test_a_draw_of_fewer_cases_than_classes_numbers_them_anew():
    y = np.arange(60)
    data = Dataset(
        name="r",
        sequences=(np.zeros((4, 1)),) * 60,
        labels=y,
        class_names=tuple(map(str, y)),
    )
    made = make_cases(data, window=None, hop=None, ahead=None, target=None)
    some = capped(made, 20, 0)
    assert some.y.tolist() == list(range(20))
    assert some.class_names == tuple(str(i) for i in some.recording)


def test_a_draw_of_one_value_says_so():
    values = np.zeros(5000)
    values[7] = 1.0
    data = Dataset(name="v", sequences=(np.zeros((4, 1)),) * 5000, labels=values)
    with pytest.raises(DataError, match="of the 20 drawn from 5,000 has one value"):
        label_retention(data, max_cases=20, **QUICK)


def values_of(scale=1.0, unit=1.0, first_missing=False):
    """A wave as high as its label, scaled; and the label in other units."""
    random = np.random.default_rng(2)
    height = 1.0 + np.arange(60) % 7
    phase = random.uniform(0, 6.3, (60, 1))
    x = height[:, None] * np.sin(0.2 * np.arange(60) + phase) + random.normal(size=(60, 60))
    if first_missing:
        x[:, 0] = np.nan
    return Dataset(name="v", sequences=tuple(scale * x[..., None]), labels=unit * height)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("exponent", [-700, -550, 530, 1000])
@pytest.mark.parametrize("metric", ["r2", "mae"])
def test_far_scales_change_nothing(exponent, metric):
    factor = 2.0**exponent
    here = label_retention(values_of(), metric=metric, **QUICK)
    assert label_retention(values_of(factor), metric=metric, **QUICK).profile == here.profile
    far = label_retention(values_of(unit=factor), metric=metric, **QUICK)
    back = factor if metric == "mae" else 1.0
    for one, other in zip(far.profile, here.profile, strict=True):
        assert (one.score, one.low) == (other.score * back, other.low * back)
        # linear in the unit, so that a power of 2 moves no digit
        assert (one.skill, one.retention) == (other.skill, other.retention)


@pytest.mark.filterwarnings("error")
def test_filtered_channels_of_a_far_scale():
    here, far = (
        label_retention(
            Dataset(
                name="v",
                sequences=tuple(f * s for s in waves(time=600).sequences),
                labels=waves().labels,
                class_names=("a", "b"),
            ),
            decimator="fir",
            **QUICK,
        )
        for f in (1.0, 2.0**1000)
    )
    assert here.profile == far.profile and here.at(2).score is not None


@pytest.mark.filterwarnings("error")
def test_a_first_sample_missing_everywhere():
    found = label_retention(values_of(first_missing=True), **QUICK)
    assert found.score > 0.9 and any("60 missing values" in n for n in found.notes)


def test_the_rule_of_three_is_of_what_is_right():
    y = np.arange(30) % 2
    x = np.sin((0.2 + 0.8 * y[:, None]) * np.arange(60.0))[..., None]
    data = Dataset(name="p", sequences=tuple(x), labels=y, class_names=("a", "b"))
    assert said(data) == [
        "every answer at stride 1, 2 is right, so the score's interval has no width; with none of "
        "30 cases wrong, up to 10.0 % of others may be (rule of three)"
    ]
    pairs = replace(data, groups=np.repeat([0, 1], 15))
    assert "none of 2 groups wrong, up to 100.0 %" in said(pairs)[0]
    named = replace(data, groups=np.arange(30), ids=tuple(map(str, range(30))))
    assert "none of 30 recordings wrong" in said(named)[0]
    # every case of a class of its own: all are wrong
    alone = replace(waves(20), labels=np.arange(20), class_names=tuple(map(str, range(20))))
    assert said(alone) == [
        "every draw of cases has the same score at stride 1, 2, so the interval has no width; it "
        "does not say how sure the score is"
    ]


def test_few_cases_that_are_all_right_prove_little():
    def low(n, **phase):
        y = np.arange(n) % 2
        x = np.sin((0.2 + 0.4 * y[:, None]) * np.arange(60.0))[..., None]
        data = Dataset(name="p", sequences=tuple(x), labels=y, class_names=("a", "b"))
        return label_retention(data, **QUICK, **phase).at(2).retention_low

    # none of n wrong: up to 1 - .05^(1/n) may be, of a range of .5 above chance
    for n in (12, 400):
        assert low(n) == pytest.approx(1 - 2 * (1 - 0.05 ** (1 / n)))


def said(data):
    return [n for n in label_retention(data, **QUICK).notes if "no width" in n]


def test_one_group_is_said():
    ids = tuple(np.repeat([f"r{i}" for i in range(6)], 10).tolist())
    data = waves(ids=ids, groups=np.zeros(60, dtype=np.int64))
    found = label_retention(data, **QUICK)
    assert found.split == "recording"
    assert "everything is of one group, so splits are by recording" in found.notes[-1]
    apart = label_retention(replace(data, groups=np.arange(60) // 30), **QUICK)
    assert apart.split == "group" and not any("one group" in n for n in apart.notes)


def test_intervals_cover():
    """Ratios of two means, of 20 units (t) and of 100 (bootstrap)."""
    random = np.random.default_rng(0)
    for units, runs in ((20, 300), (100, 100)):
        hits = 0
        for run in range(runs):
            pair = random.normal(1, 0.3, units)[:, None] * [1.0, 0.8] + random.normal(
                0, 0.3, (units, 2)
            )
            redraws = Redraws.of(np.arange(units), replicates=199, seed=run)
            sums = redraws.weights @ pair / redraws.weights.sum(axis=1, keepdims=True)
            whole, part = (Estimate(value=pair[:, i].mean(), draws=sums[:, i]) for i in (0, 1))
            low, high = redraws.interval(retained(part, whole))
            hits += low <= 0.8 <= high
        # 95 %, four binomial standard errors
        assert abs(hits / runs - 0.95) < 4 * (0.95 * 0.05 / runs) ** 0.5


def test_stretches_of_time_are_longer_than_a_window():
    stretch = interval_units("time", np.arange(100), span=1000, guard=100)
    assert stretch.max() + 1 == 10 and (np.diff(stretch) >= 0).all()
    assert interval_units("time", np.arange(100), span=10**6, guard=100).max() + 1 == 30


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"strides": (1.5,)}, ConfigError, "whole numbers"),
        ({"strides": ()}, ConfigError, "whole numbers"),
        ({"decimator": "mean"}, ConfigError, "unknown decimator"),
        ({"n_folds": 1}, ConfigError, "n_folds"),
        ({"replicates": 10}, ConfigError, "replicates"),
        ({"metric": "r2"}, UnknownNameError, "no metric of classes"),
        ({"window": "2s"}, ConfigError, "cannot be a time"),
        ({"hop": 3}, DataError, "not cut into windows, so a hop"),
        ({"ahead": 3}, DataError, "a forecast from 'waves' needs windows"),
        ({"window": 200}, DataError, "as long as a window"),
    ],
)
def test_what_cannot_be_asked(options, error, match):
    with pytest.raises(error, match=match):
        label_retention(waves(), **options)


def test_what_cannot_be_measured():
    data = waves()
    with pytest.raises(DataError, match="no labels to predict"):
        label_retention(replace(data, labels=None, class_names=()))
    with pytest.raises(DataError, match="has one class"):
        label_retention(replace(data, labels=np.zeros(60, dtype=np.int64)))
    with pytest.raises(DataError, match="too few labelled cases, got 8"):
        label_retention(waves(8))
    with pytest.raises(DataError, match="loaded dataset"):
        label_retention(np.zeros((3, 4)))
    with pytest.raises(ConfigError, match="cannot be filtered"):
        times = tuple(np.arange(80.0) ** 1.1 for _ in data.sequences)
        label_retention(replace(data, times=times), **QUICK, decimator="fir")
