"""Result files written by earlier versions still load, say the same and make a page."""

import json
from pathlib import Path

import pytest

from timegrain.core import read_result
from timegrain.core.kinds import result_kinds
from timegrain.report import write_report

FILES = sorted(Path(__file__).parent.glob("v*/*.json"))


def test_every_kind_has_a_stored_file():
    stored = {json.loads(f.read_text())["schema"] for f in FILES}
    assert stored == set(result_kinds.names())


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.name}/{f.stem}")
def test_a_stored_result_says_what_it_said(file):
    stored = json.loads(file.read_text())
    result = read_result(file.read_text())
    now = result.to_dict()
    assert stored["schema_version"] <= now["schema_version"]
    del stored["schema_version"]
    assert _only_known(now, stored) == stored
    assert result.name in repr(result)
    assert result.to_arrow().num_rows == len(result.rows()) > 0


def _only_known(now, stored):
    """Return what is said now without what the file does not speak of, also within rows."""
    if isinstance(stored, dict):
        return {k: _only_known(now[k], v) for k, v in stored.items() if k in now}
    if isinstance(stored, list) and len(stored) == len(now):
        return [_only_known(a, b) for a, b in zip(now, stored, strict=True)]
    return now


def test_stored_results_make_a_page(tmp_path):
    page = write_report([read_result(f.read_text()) for f in FILES], tmp_path / "page.html")
    text = page.read_text()
    assert "OSULeaf" in text
    assert "python-source" in text
