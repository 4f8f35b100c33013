"""One of several processes prints; another is heard where it alone fails."""

import pytest

from timegrain.cli import several
from timegrain.cli.main import run


@pytest.fixture
def be(monkeypatch):
    """Make this process one of two."""

    def be(rank):
        monkeypatch.setattr(several, "_GRACE", 0.0)
        said = {"WORLD_SIZE": "2", "RANK": rank, "MASTER_ADDR": "localhost", "MASTER_PORT": "1"}
        for name, value in said.items():
            monkeypatch.setenv(name, value)

    return be


def test_commands_that_are_not_shared_are_done_by_the_first(be, capsys):
    be("1")
    assert run(["ls"]) == 0
    assert capsys.readouterr() == ("", "")
    be("0")
    assert run(["ls"]) == 0
    assert "OSULeaf" in capsys.readouterr().out


def test_another_process_is_silent_but_for_its_error(be, capsys):
    be("1")
    assert run(["train", "s4d", "OSULeaf", "--dry-run"]) == 0
    assert capsys.readouterr() == ("", "")
    assert run(["train", "s5d", "OSULeaf"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("process 1 of 2: error: there is no model called 's5d'")
    be("0")
    assert run(["train", "s5d", "OSULeaf"]) == 2
    assert capsys.readouterr().err.startswith("error: there is no model called 's5d'")


def test_a_number_that_is_none_of_theirs_is_an_error(be, capsys):
    be("2")
    assert run(["ls"]) == 2
    assert "RANK=2, WORLD_SIZE=2" in capsys.readouterr().err
