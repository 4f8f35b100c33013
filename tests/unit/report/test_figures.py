"""Figures: what they show, and that nothing is cut off or covered."""

import dataclasses
import io
import itertools
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.text import Annotation, Text

from timegrain.continuity.model.result import AmplitudeOutcome
from timegrain.core.errors import ConfigError
from timegrain.core.outcome import Outcome
from timegrain.report import figures
from timegrain.report.figures.clock import equal_time, median_curve
from timegrain.report.figures.discontinuity import profiles_words
from timegrain.report.figures.frame import NARROW, WIDE
from timegrain.report.figures.labels import spread
from timegrain.report.figures.ladder import model_label, refinement_words
from timegrain.report.figures.rates import transfer_words
from timegrain.report.figures.style import DARK, display, model_colours

DRAW = {
    "profiles": "task-continuity",
    "refinement": "model-continuity",
    "transfer": "transfer-curve",
    "pace": "training-run",
}


def of_kind(results, kind):
    return [r for r in results if r.kind == kind]


def draw(name, results, **options):
    return getattr(figures, name)(of_kind(results, DRAW[name]), **options)


def boxes(figure):
    """Visible texts with the places they take up, in pixels."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    unseen = {
        label
        for axis in (axis for a in figure.axes for axis in (a.xaxis, a.yaxis))
        for tick in axis.get_major_ticks()
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
        for label in (tick.label1, tick.label2)
    }
    found = [t for t in figure.findobj(Text) if t.get_text() and t not in unseen]
    return [(t, Text.get_window_extent(t, renderer)) for t in found]


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", DRAW)
def test_no_text_is_cut_off(name, width, demo):
    figure = draw(name, demo, width=width)
    high, wide = figure.bbox.height, figure.bbox.width
    for text, box in boxes(figure):
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= wide + 1 and box.y1 <= high + 1
        assert inside, text.get_text()


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", DRAW)
def test_no_label_covers_another(name, width, demo):
    figure = draw(name, demo, width=width)
    labels = [(t, b) for t, b in boxes(figure) if isinstance(t, Annotation)]
    for (first, a), (second, b) in itertools.combinations(labels, 2):
        # Lines of text touch at most by the leading above the letters.
        over = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert min(over) < 3, (first.get_text(), second.get_text())


@pytest.mark.parametrize("name", DRAW)
def test_axes_are_named_and_the_title_says_what_is_seen(name, demo):
    figure = draw(name, demo)
    assert all(a.get_xlabel() and a.get_ylabel() for a in figure.axes)
    assert len(figure.texts) >= 1
    assert not draw(name, demo, title=False).texts


def test_settings_are_left_alone(demo):
    # Reading the backend would choose one, and load pyplot for it.
    names = [name for name in matplotlib.rcParams if name != "backend"]
    with matplotlib.rc_context({"font.size": 3.0, "lines.linewidth": 9.0}):
        before = {name: matplotlib.rcParams[name] for name in names}
        draw("profiles", demo).savefig(io.BytesIO(), format="png")
        assert {name: matplotlib.rcParams[name] for name in names} == before


def test_nothing_heavy_is_loaded_early_and_pyplot_never():
    code = (
        "import io, sys, timegrain.report as r; early = 'matplotlib' in sys.modules;"
        "r.figures.headline; r.write_report; r.figures.profiles([]).savefig(io.BytesIO());"
        "print(early, 'matplotlib.pyplot' in sys.modules, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "False"]


def test_horizon_is_marked_on_the_curve(make):
    (axes,) = figures.profiles([make.task("OSULeaf"), make.task("GunPoint")]).axes
    rings = [line for line in axes.lines if line.get_markersize() > 8]
    marks = {(int(x), round(float(y), 6)) for r in rings for x, y in r.get_xydata()}
    assert marks == {(16, 0.03106), (16, 0.02011)}


def test_channels_of_many_datasets_do_not_stretch_the_axis(make):
    still = make.task("still", values=(0.2,) * 6, channels=("a", "b"))
    flat = tuple(
        r if r.channel is None else dataclasses.replace(r, discontinuity=1e-9)
        for r in still.profile
    )
    (axes,) = figures.profiles([make.task(), dataclasses.replace(still, profile=flat)]).axes
    assert axes.get_ylim()[0] > 1e-4


def test_rough_data_have_no_horizon_mark(make):
    (axes,) = figures.profiles([make.task("mnist-permuted")]).axes
    assert not [line for line in axes.lines if line.get_markersize() > 8]


def test_slope_one_is_drawn_at_slope_one(make):
    (axes,) = figures.refinement([make.model()]).axes
    slopes = []
    for line in axes.lines:
        x, y = line.get_xydata().T
        if line.get_linestyle() == "--":
            slopes.append(np.diff(np.log(y)) / np.diff(np.log(x)))
    assert len(slopes) == 1 and np.allclose(slopes[0], 1)


def test_equal_curves_share_a_label(make):
    (axes,) = figures.refinement([make.model(exponent=0.0)]).axes
    assert [t.get_text() for t in axes.texts if "amplitude" in t.get_text()] == ["all amplitudes"]
    (axes,) = figures.refinement([make.model(exponent=0.5)]).axes
    assert len([t for t in axes.texts if "amplitude" in t.get_text()]) == 3


def test_a_model_has_one_colour_in_every_figure(demo):
    wanted = {to_hex(c) for c in model_colours(["s4d", "s6"]).values()}
    for name in ("refinement", "transfer", "pace"):
        used = {to_hex(line.get_color()) for a in draw(name, demo).axes for line in a.lines}
        assert wanted <= used
    assert set(model_colours(["a", "b", "c", "s4d", "s6", "gru"]).values()) <= set(DARK)


def test_headline_saves_as_png_and_svg(demo, tmp_path):
    figure = figures.headline(of_kind(demo, "task-continuity"), of_kind(demo, "transfer-curve"))
    for kind in ("png", "svg"):
        figure.savefig(tmp_path / f"headline.{kind}")
        assert (tmp_path / f"headline.{kind}").stat().st_size > 10_000
    assert len(figure.axes) == 2


def test_headline_needs_both(demo):
    with pytest.raises(ConfigError, match="datasets and networks"):
        figures.headline([], of_kind(demo, "transfer-curve"))


def test_titles_follow_the_numbers(make):
    smooth, rough = make.task("OSULeaf"), make.task("mnist-permuted")
    assert "every 16th sample" in profiles_words([smooth, rough]).title
    assert "loses its shape" in profiles_words([rough]).title
    assert "the same error" in refinement_words([make.model(exponent=0.01)]).title
    assert "grows with amplitude" in refinement_words([make.model(exponent=0.5)]).title
    collapsing = make.model("gru", outcome=Outcome.MEMORY_COLLAPSES, exponent=0.8)
    assert "memory, in time units, shrinks" in refinement_words([collapsing]).title
    assert "S4D 0.78 → 0.50" in transfer_words([make.curve(told=(0.78, 0.7, 0.5))]).title


def test_many_networks_have_a_panel_each_the_best_first(make):
    scores = {"gru": 0.5, "s4d": 0.8, "s5": 0.7, "tcn": 0.6}
    curves = [make.curve(name, told=(0.8, 0.75, last)) for name, last in scores.items()]
    figure = figures.transfer(curves)
    titles = [axes.get_title(loc="left").split()[0] for axes in figure.axes]
    assert titles == ["S4D", "S5", "TCN", "GRU"]
    strides = {row.stride for row in curves[0].scores}
    xs = {x for axes in figure.axes for line in axes.lines for x in line.get_xdata()}
    assert strides <= xs <= strides | {0, 1}  # every point at its own stride
    assert "best of 4 is S4D 0.80 → 0.80; the trivial answer" in transfer_words(curves).title


def test_model_label_says_what_was_asked(make):
    zoh = make.model("s6", options={"discretization": "zoh"}, protocol="native")
    assert model_label(zoh) == "S6 (zoh, not told its step)"
    assert display("my_package:Net") == "my_package:Net"


def test_median_of_runs_on_different_clocks(make):
    runs = [make.run(seed=s) for s in (0, 1)]
    seconds, middle = median_curve(runs)
    scores = [[row.score for row in r.history] for r in runs]
    assert np.allclose(seconds, [row.seconds for row in runs[0].history])
    assert np.allclose(middle, np.mean(scores, axis=0))  # the median of two is their mean
    assert len(median_curve([make.run(history=())])[0]) == 0


def test_equal_time_compares_within_seeds(make):
    full, staged = make.run(stages="1:4"), make.run(stages="4:4,1:2")
    seconds, fast, slow = equal_time([full, staged])
    assert seconds == pytest.approx(min(full.seconds, staged.seconds))
    assert (fast, slow) == (staged.score_at(seconds), full.score_at(seconds))
    assert equal_time([full, make.run(seed=1, stages="4:4,1:2")]) is None


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ([], []),
        ([5.0], [5.0]),
        ([0.0, 0.0, 0.0], [0.0, 10.0, 20.0]),
        ([50.0, 50.0], [40.0, 50.0]),
        ([20.0, 20.0, 45.0], [15.0, 25.0, 45.0]),
    ],
)
def test_spread(wanted, expected):
    assert spread(wanted, gap=10.0, high=50.0) == pytest.approx(expected)


@pytest.mark.parametrize("channels", [1, 2, 70])
def test_one_dataset_alone(make, channels):
    names = tuple(f"axis {i}" for i in range(channels))
    (axes,) = figures.profiles([make.task("alone", channels=names)]).axes
    worst = [t.get_text() for t in axes.texts if t.get_text().startswith("worst")]
    assert worst == ([] if channels == 1 else [f"worst: axis {channels - 1} · 16"])


def test_the_mark_of_a_horizon_is_on_the_channel_that_sets_it(make):
    task = make.task("alone", channels=("x", "y"))
    (axes,) = figures.profiles([task]).axes
    ((k, d),) = [m for r in axes.lines if r.get_markersize() > 8 for m in r.get_xydata()]
    own = {row.stride: row.discontinuity for row in task.profile if row.channel == "y"}
    assert (k, round(d, 9)) == (16, round(own[16], 9))
    assert "mean over channels" in [t.get_text() for t in axes.texts]


def test_a_title_names_the_channel_that_sets_the_horizon(make):
    words = profiles_words([make.task("motion", channels=("x", "y"))])
    assert words.title == "motion: y, the worst channel, keeps its shape at every 16th sample"
    assert "thin ones are the channels" in words.caption
    numbered = profiles_words([make.task("motion", channels=("0", "1"))])
    assert "channel 1, the worst channel," in numbered.title
    assert profiles_words([make.task("motion")]).title.startswith("motion keeps its shape")


def test_a_title_promises_nothing_unseen(make):
    unseen = make.model("my:net", memory=None, exponent=0.5)
    assert refinement_words([unseen]).title.endswith("but the memory was not seen")
    constants = zip((0.1, 1.0, 10.0), (0.2, 0.2, 4.0), strict=True)
    bent = make.model(
        "s6",
        exponent=0.6,
        outcomes=tuple(
            AmplitudeOutcome(
                amplitude=a, outcome=Outcome.CONVERGES, order=1.0, constant=c, in_law=True
            )
            for a, c in constants
        ),
    )
    assert "grows with amplitude (not as one power)" in refinement_words([bent]).title
