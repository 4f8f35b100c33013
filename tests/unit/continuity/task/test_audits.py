"""What was found in timestamps goes with the numbers: printed, stored, and on the page."""

import json

import numpy as np

from timegrain.continuity import dataset_continuity
from timegrain.core.result import read_result
from timegrain.data import load_dataset
from timegrain.report.page.timestamps import audit_tables
from timegrain.report.page.write import write_report


def measured(folder):
    t = np.concatenate([np.arange(200), 230 + np.arange(200)]) * 0.5
    lines = [f"<i>{who},{a},{np.sin(a / 9):.6f}" for who in "ab" for a in t]
    (folder / "t.csv").write_text("who,t,x\n" + "\n".join(lines) + "\n")
    return dataset_continuity(load_dataset(folder / "t.csv", id="who", time="t", unit="s"))


def test_audits_are_printed_and_stored(tmp_path):
    result = measured(tmp_path)
    text = " ".join(repr(result).split())
    assert "timestamps 2 recordings, a step of 500 ms (2 Hz): taken for a uniform grid" in text
    assert "gaps 2 gaps in 2 recordings, 30 s in all, the longest 15 s (<i>a)" in text
    again = read_result(result.to_json())
    assert again.audits == result.audits and again.audits[1].n_missing_rows == 30


def test_results_of_earlier_versions_have_none(tmp_path):
    stored = json.loads(measured(tmp_path).to_json())
    del stored["audits"]
    assert read_result(json.dumps(stored)).audits == ()


def test_the_page_has_a_table_of_recordings(tmp_path):
    result = measured(tmp_path)
    (table,) = audit_tables(result)
    assert table.column("Recording") == ["<i>a", "<i>b"]
    assert table.column("Longest gap") == ["15 s", "15 s"]
    assert "Steps back" not in table.header
    write_report([result], tmp_path / "r.html", title="t")
    page = (tmp_path / "r.html").read_text()
    assert "Timestamps of the 2 recordings of t" in page
    assert "<i>a" not in page and "&lt;i&gt;a" in page
