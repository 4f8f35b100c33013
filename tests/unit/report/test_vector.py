"""Figures as files for a paper."""

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from timegrain.core import read_result
from timegrain.core.errors import ConfigError
from timegrain.report import figures, write_figures
from timegrain.report.figures import ONE_COLUMN, TWO_COLUMNS
from timegrain.report.figures.style import model_styles
from timegrain.report.page.render import sections_of

STORED = sorted((Path(__file__).parents[2] / "golden" / "v1").glob("*.json"))


def stored(path):
    return read_result(path.read_text(encoding="utf-8"))


def texts(figure):
    """Texts that are seen, with their places in points."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    hidden = {
        label
        for axis in (axis for a in figure.axes for axis in (a.xaxis, a.yaxis))
        for tick in axis.get_major_ticks()
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
        for label in (tick.label1, tick.label2)
    }
    found = [
        t for t in figure.findobj(Text) if t.get_text() and t.get_visible() and t not in hidden
    ]
    return [(t, Text.get_window_extent(t, renderer)) for t in found]


def plates(results):
    return [plate for section in sections_of(results) for plate in section.plates]


def test_figures_of_any_result_fit_a_column():
    drawn = 0
    for path in STORED:
        for plate in plates([stored(path)]):
            check(plate.draw(ONE_COLUMN), ONE_COLUMN)
            drawn += 1
    assert drawn >= 12


@pytest.mark.parametrize("width", [ONE_COLUMN, TWO_COLUMNS])
def test_figures_of_many_results_fit_their_page(width, demo, make):
    names = ("s4", "s5", "mamba", "gru", "tcn")
    for plate in plates([*demo, *(make.model(name, exponent=0.3) for name in names)]):
        check(plate.draw(width), width)


def check(figure, width):
    wide, high = (72 * v for v in figure.get_size_inches())
    assert wide == pytest.approx(width) and high <= 500
    seen = texts(figure)
    limit = figure.bbox.width, figure.bbox.height
    for text, box in seen:
        assert text.get_fontsize() >= 7, text.get_text()
        assert box.x0 >= -1 and box.y0 >= -1, text.get_text()
        assert box.x1 <= limit[0] + 1 and box.y1 <= limit[1] + 1, text.get_text()
    ticks = {t for a in figure.axes for t in (*a.get_xticklabels(), *a.get_yticklabels())}
    for (first, a), (second, b) in combinations(seen, 2):
        if first in ticks and second in ticks:
            over = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
            assert min(over) < 3, (first.get_text(), second.get_text())


def test_models_differ_without_colour():
    names = ("s4", "s4d", "s5", "s6", "mamba", "transformer", "gru", "tcn", "mine", "yours")
    styles = model_styles(names)
    assert len({s.mark for s in styles.values()}) == len(names)
    assert len({str(styles[n].line) for n in names[:8]}) == 8
    assert (styles["s4d"].colour, styles["s6"].colour) == ("#0072b2", "#d55e00")


def test_two_networks_in_a_panel_differ_in_line_and_marker(make):
    (axes,) = figures.transfer([make.curve("s4d"), make.curve("s6")]).axes
    drawn = [
        line for line in axes.lines if len(line.get_xdata()) == 3 and line.get_marker() in "os"
    ]
    told = {
        line.get_marker(): line for line in drawn if line.get_markerfacecolor() == line.get_color()
    }
    untold = {line.get_marker(): line for line in drawn if line not in told.values()}
    assert set(told) == set(untold) == {"o", "s"}
    for mark, line in told.items():
        other = untold[mark]
        assert line.is_dashed() == other.is_dashed() == (mark == "s")
        assert line.get_linewidth() > other.get_linewidth()
        assert to_rgb(other.get_markerfacecolor()) == (1.0, 1.0, 1.0)


def test_files_are_vectors_with_text_at_the_width_of_a_column(make, tmp_path):
    written = write_figures([make.model(), make.model("s6", exponent=0.5)], tmp_path / "f")
    assert {p.name for p in written.files} == {
        f"models-{n}col.{kind}" for n in (1, 2) for kind in ("svg", "pdf")
    }
    for n, width in ((1, ONE_COLUMN), (2, TWO_COLUMNS)):
        text = (tmp_path / "f" / f"models-{n}col.svg").read_text()
        assert float(re.search(r'<svg [^>]*width="([\d.]+)pt"', text)[1]) == pytest.approx(width)
        assert "S4D</text>" in text and "<image" not in text and "sans-serif" in text
        pdf = (tmp_path / "f" / f"models-{n}col.pdf").read_bytes()
        assert b"/FontFile2" in pdf and b"/Type3" not in pdf and b"/Subtype /Image" not in pdf
        box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+)", pdf)[1]
        assert float(box) == pytest.approx(width)
    assert written.without == () and written.tall == ()
    captions = written.captions.read_text()
    assert "## models" in captions and "the error grows with amplitude" in captions
    assert "@misc{yu2026continuity," in written.bibliography.read_text()


def test_the_same_results_give_the_same_files(make, tmp_path):
    first, second = (
        write_figures([make.task("OSULeaf")], tmp_path / name, columns=[1]) for name in "ab"
    )
    assert [p.read_bytes() for p in first.files] == [p.read_bytes() for p in second.files]


def test_what_is_too_high_for_a_page_is_written_in_parts(make, tmp_path):
    layers = ("s4", "s4d", "s5", "s6", "mamba", "gru")
    curves = [make.curve(name, task) for task in ("leaf", "gun") for name in layers]
    written = write_figures(curves, tmp_path, formats=["svg"], columns=[1])
    assert [p.name for p in written.files] == ["rates-leaf-1col.svg", "rates-gun-1col.svg"]
    assert written.tall == ()


def test_results_of_one_name_do_not_hide_each_other(tmp_path):
    (path,) = (p for p in STORED if p.stem == "selectivity")
    two = [stored(path), replace(stored(path), notes=("again",))]
    written = write_figures(two, tmp_path, formats=["svg"], columns=[1])
    assert len({p.name for p in written.files}) == 2


def test_kinds_without_a_figure_are_told(tmp_path):
    (path,) = (p for p in STORED if p.stem == "verdict")
    written = write_figures([stored(path)], tmp_path)
    assert (written.files, written.without) == ((), ("verdict",))


@pytest.mark.parametrize(
    ("changed", "words"),
    [({"formats": ["png"]}, "png"), ({"columns": [3]}, "columns"), ({"formats": []}, "none")],
)
def test_other_formats_and_columns_are_refused(changed, words, make, tmp_path):
    with pytest.raises(ConfigError, match=words):
        write_figures([make.task()], tmp_path, **changed)
    assert not list(tmp_path.iterdir())


def test_a_figure_alone_is_saved_as_a_vector(tmp_path):
    figure = Figure(figsize=(2, 1))
    figure.text(0.5, 0.5, "word")
    assert ">word</text>" in figures.save_vector(figure, tmp_path / "a.svg").read_text()
    with pytest.raises(ConfigError, match=r"\.svg or \.pdf"):
        figures.save_vector(figure, tmp_path / "a.png")
