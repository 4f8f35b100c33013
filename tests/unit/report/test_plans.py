from pathlib import Path

from timegrain.core import read_result
from timegrain.report import write_report

GOLDEN = Path(__file__).parents[2] / "golden" / "v1" / "plan-advice.json"


def test_a_plan_is_shown_with_what_the_label_keeps(tmp_path):
    result = read_result(GOLDEN.read_text())
    text = write_report([result], tmp_path / "page.html", title="x").read_text()
    assert "GunPoint: subsample: stages of stride 8, 4, 2, 1." in text
    assert "stride 8: 42 %, stride 4: 32 %, stride 2: 21 %, stride 1: 5 %" in text
    assert "May training begin on fewer samples?" in text
    assert "limit 0.95" in text
    assert "before any network is trained" in text


def test_a_plan_prints_at_80_columns():
    text = repr(read_result(GOLDEN.read_text()))
    assert max(map(len, text.splitlines())) <= 80
    assert "subsample: stages of stride 8, 4, 2, 1" in text
    assert "0.33 of the samples" in text
