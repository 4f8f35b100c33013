import json

import pytest

from timegrain.cli.main import run
from timegrain.core.output import read_output

ASK = ["study", "--preset", "paper-continuity", "--systems", "6"]


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """The study at two amplitudes and two steps."""
    from timegrain.study.presets.paper_continuity.settings import PaperContinuitySettings

    defaults = PaperContinuitySettings.__init__.__kwdefaults__
    monkeypatch.setitem(defaults, "amplitudes", (1.0, 32.0))
    monkeypatch.setitem(defaults, "taus", (0.125, 0.25))


def test_the_study_writes_result_rows_and_report(tmp_path, capsys):
    out = tmp_path / "out"
    assert run([*ASK, "--output", str(out)]) == 0
    assert "conclusion" in capsys.readouterr().out
    stored = read_output(out).result
    assert (stored.kind, stored.n_systems, len(stored.rows())) == ("paper-continuity", 6, 32)
    page = (out / "report.html").read_text()
    assert 'id="systems"' in page and "<svg" in page
    assert {p.name for p in out.iterdir()} == {
        "result.json",
        "rows.parquet",
        "report.html",
        "parts",
    }


def test_json_is_one_object_and_the_seed_is_kept(capsys):
    assert run([*ASK, "--seed", "3", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["provenance"]["seed"]) == ("paper-continuity", 3)


def test_dry_run_measures_nothing(tmp_path, capsys):
    out = tmp_path / "out"
    assert run([*ASK, "--dry-run", "--output", str(out)]) == 0
    said = capsys.readouterr()
    assert "would run paper-continuity" in said.err and not said.out and not out.exists()


def test_a_study_of_trainings_leaves_them_in_its_output_and_goes_on(tmp_path, capsys, monkeypatch):
    from timegrain.study.presets.paper_refinement import measure
    from timegrain.study.presets.paper_refinement.settings import PaperRefinementSettings

    defaults = PaperRefinementSettings.__init__.__kwdefaults__
    small = {"tasks": ("damped",), "models": ("s4d",), "taus": (1.0, 2.0), "length": 8}
    small |= {"trajectories": 16, "tested": 16, "epochs": 1, "d_model": 2, "n_layers": 1}
    for name, value in small.items():
        monkeypatch.setitem(defaults, name, value)
    ask = ["study", "--preset", "paper-refinement", "--output", str(tmp_path / "out"), "--seeds"]
    once = measure.carry_out

    def stops(unit, *args):
        if unit.seed == 1:
            raise KeyboardInterrupt
        return once(unit, *args)

    monkeypatch.setattr(measure, "carry_out", stops)
    assert run([*ask, "2"]) == 130
    units = tmp_path / "out" / "parts" / "units"
    assert [f.name for f in units.iterdir()] == ["damped-s4d-0.json"]

    def again(unit, *args):
        assert unit.seed == 1
        return once(unit, *args)

    monkeypatch.setattr(measure, "carry_out", again)
    assert run([*ask, "2"]) == 0
    stored = read_output(tmp_path / "out").result
    assert (stored.kind, stored.seeds, len(stored.rows())) == ("paper-refinement", (0, 1), 4)
    assert 'id="finer"' in (tmp_path / "out" / "report.html").read_text()
    assert "conclusion" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["study", "--preset", "paper-continuty"], "there is no preset"),
        (["study", "--preset", "paper-continuity", "--systems", "0"], "number of systems"),
        (["study", "--preset", "paper-continuity", "--seeds", "2"], "cannot be told seeds"),
        (["study", "--preset", "paper-refinement", "--seeds", "0"], "seeds"),
        (["study", "--preset", "paper-refinement", "--systems", "2"], "cannot be told systems"),
        (["study"], "--preset"),
    ],
)
def test_wrong_words_are_status_two(words, said, capsys):
    assert run(words) == 2
    assert said in capsys.readouterr().err
