"""Figures with a row a module or a cure."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from timegrain.core import read_result
from timegrain.report import figures
from timegrain.report.figures.cured import cure_words
from timegrain.report.figures.modules import module_words
from timegrain.report.page.locating import locating_section

GOLDEN = Path(__file__).parents[2] / "golden" / "v1"


def stored(kind):
    return read_result((GOLDEN / f"{kind}.json").read_text(encoding="utf-8"))


def points(axes, filled):
    """`{row: value}` of the marks in a panel."""
    marks = [line for line in axes.lines if line.get_marker() in ("o", "s")]
    white = [line for line in marks if line.get_markerfacecolor() == "#ffffff"]
    chosen = [line for line in marks if line not in white] if filled else white
    return {int(line.get_ydata()[0]): float(line.get_xdata()[0]) for line in chosen}


def test_each_module_has_its_memory_and_its_change_and_the_lost_one_is_bold():
    result = stored("localisation")
    memory, change = figures.module_rows(result).axes
    known = {i: row.memory_ratio for i, row in enumerate(result.modules)}
    assert points(memory, True) == {i: v for i, v in known.items() if v is not None}
    moved = {i: row.change for i, row in enumerate(result.modules) if row.change}
    assert points(change, True) == pytest.approx(moved)
    bold = [t.get_text() for t in memory.get_yticklabels() if t.get_fontweight() == "bold"]
    lost = [row.module for row in result.modules if row.loses]
    assert [name.split(" ")[0] for name in bold] == lost
    assert f"{lost[0]} (" in module_words(result).title


def test_of_very_many_modules_the_lost_and_the_whole_model_are_kept():
    result = stored("localisation")
    first, *rest = result.modules
    lost = next(row for row in result.modules if row.loses)
    many = [replace(first, position=i + 1, module=f"m{i}") for i in range(60)]
    many = [*many, replace(lost, position=61), replace(rest[-1], position=62)]
    drawn = figures.module_rows(replace(result, modules=tuple(many)), width=figures.ONE_COLUMN)
    names = [t.get_text() for t in drawn.axes[0].get_yticklabels()]
    assert len(names) == 26 and lost.module in names[-2] and "whole model" in names[-1]
    assert "26 of 62 modules" in module_words(replace(result, modules=tuple(many))).caption


def test_the_section_says_where_and_what_to_try():
    result = replace(stored("localisation"), advice="Try remedy(model, 'dilate').")
    section = locating_section([result])
    assert "lost in conv" in section.lead and "remedy(model, 'dilate')" in section.lead
    assert len(section.plates) == 1 and "conv" in section.tables[0].column("Module")


def test_errors_before_and_after_a_cure_are_the_results():
    result = stored("remedy")
    error, order = figures.cure_rows([result]).axes
    assert points(error, False) == pytest.approx({i: e.before for i, e in enumerate(result.errors)})
    assert points(error, True) == pytest.approx({i: e.after for i, e in enumerate(result.errors)})
    for stage, filled in (("before", False), ("after", True)):
        assert result.at(stage).order in points(order, filled).values()


def test_a_cure_that_does_not_help_is_not_praised():
    result = stored("remedy")
    worse = tuple(
        replace(row, error=9.0) if (row.stage, row.module) == ("after", "") else row
        for row in result.stages
    )
    assert (
        "takes the error" in cure_words([result]).title or "no cure" in cure_words([result]).title
    )
    assert "no cure lowers" in cure_words([replace(result, stages=worse)]).title
    unknown = tuple(replace(e, before=None, after=None) for e in result.errors)
    drawn = figures.cure_rows([replace(result, errors=unknown)])
    assert "no limit" in {t.get_text() for t in drawn.axes[0].texts}
    assert np.isfinite(drawn.axes[0].get_xlim()).all()
