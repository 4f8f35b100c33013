import json

import numpy as np
import pytest

from timegrain.cli.main import run


def test_sources_are_checked_by_name_and_by_path(tmp_path, capsys):
    np.save(tmp_path / "waves.npy", np.random.default_rng(0).standard_normal((6, 16, 1)))
    names = f"ItalyPowerDemand,{tmp_path / 'waves.npy'}"
    words = ["--json", "--output", str(tmp_path / "out"), "--skip", "metric"]
    assert run(["check-source", names, *words]) == 0
    caught = capsys.readouterr()
    found = json.loads(caught.out)
    assert [one["name"] for one in found] == ["ItalyPowerDemand", "waves.npy"]
    assert {one["schema"] for one in found} == {"source-check"}
    assert "ItalyPowerDemand: splits passed" in caught.err
    assert str(tmp_path) not in (tmp_path / "out" / "report.html").read_text()


def test_options_cuts_and_seeds_go_along(capsys):
    words = ["--only", "shapes,splits", "--json", "--seed", "2"]
    options = ["--source-options", "length=64,kinds=4,answer=every", "--n-cases", "8"]
    assert run(["check-source", "dyck", *options, *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["made"], found["n_sequences"]) == (True, 24)
    assert found["provenance"]["parameters"]["answer"] == "every"
    assert run(["check-source", "ecg", "--window", "1s", "--ahead", "1", *words]) == 0
    assert json.loads(capsys.readouterr().out)["made"] is False


def test_a_broken_source_is_status_one(tmp_path, capsys, monkeypatch):
    (tmp_path / "drawn_anew.py").write_text(
        "import numpy as np\n"
        "from timegrain.data import Dataset\n"
        "def once():\n"
        "    x = np.random.default_rng().standard_normal((8, 16, 1))\n"
        "    return Dataset(name='once', sequences=tuple(x), labels=np.arange(8) % 2,\n"
        "                   class_names=('a', 'b'))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert run(["check-source", "drawn_anew:once", "--only", "determinism"]) == 1
    assert "FAILED" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["dyck", "--source-options", "kindz=2"], "'dyck' has no option 'kindz'"),
        (["dyck", "--only", "spelling"], "spelling"),
        (["nowhere"], "nowhere"),
    ],
)
def test_wrong_words(words, text, capsys):
    assert run(["check-source", *words]) == 2
    assert text in " ".join(capsys.readouterr().err.split())
