"""The sections on cures and certificates."""

import re
from pathlib import Path

from timegrain.core import read_result
from timegrain.report.page.certifying import certificate_section
from timegrain.report.page.curing import curing_section
from timegrain.report.page.numbers import significant
from timegrain.report.page.render import render

GOLDEN = Path(__file__).parents[2] / "golden" / "v1"


def stored(kind):
    return read_result((GOLDEN / f"{kind}.json").read_text(encoding="utf-8"))


def test_cures_have_a_row_before_and_after_of_the_model_and_each_module():
    result = stored("remedy")
    (table,) = curing_section([result]).tables
    assert table.column("Module") == ["all", "ssm", "conv"] * 2
    assert table.column("Stage")[:3] == ["before"] * 3
    errors = [significant(row.error, 2) for row in result.stages]
    assert table.column("Error at tau 1") == errors
    shifts = [text for text in table.column("Shift") if text]
    assert shifts == [significant(result.shift, 2)]
    said = curing_section([result]).notes
    assert any(note.startswith("It does ") and "keep the memory of conv" in note for note in said)


def test_certificates_have_a_row_a_step():
    result = stored("certificate")
    (table,) = certificate_section([result]).tables
    bounds = [significant(result.bound(tau)) for tau in result.taus]
    assert table.column("Error at most") == bounds


def test_both_are_sections_of_the_page():
    page = render([stored("remedy"), stored("certificate")], title="cures")
    assert re.search(r'id="[^"]*cures', page)
    assert "What is proved of the error?" in page
