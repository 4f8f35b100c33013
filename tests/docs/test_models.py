"""The page on models: its Python runs and prints what is shown, its tables are complete."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from timegrain import check_model
from timegrain.checks import model_checks
from timegrain.cli.main import run
from timegrain.models import models

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", PAGE, flags=re.DOTALL)


@pytest.fixture(scope="module")
def scope(tmp_path_factory):
    """What the blocks define and print, run one after the other."""
    with contextlib.chdir(tmp_path_factory.mktemp("page")):
        return run_blocks()


def run_blocks():
    names: dict = {"__name__": "page", "printed": []}
    for code, _ in BLOCKS:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, "models.md", "exec"), names)
        names["printed"].append(said.getvalue())
    return names


def test_blocks_print_what_is_shown(scope):
    assert len(BLOCKS) == 8
    assert sum(bool(shown) for _, shown in BLOCKS) == 2
    for (_, shown), printed in zip(BLOCKS, scope["printed"], strict=True):
        rest = printed
        for part in shown.split("...\n"):
            assert part.strip("\n") in rest, printed
            rest = rest[rest.index(part.strip("\n")) :]


def test_the_stored_network_is_the_same_and_knows_its_step(scope):
    assert scope["printed"][1] == "True 2.0\n"


def test_the_layer_of_the_page_reaches_its_order(scope):
    assert scope["printed"][-2].startswith("order order 1.0")
    assert not check_model(scope["Decay"](3, 8), only=("tau-reaches",)).passed


def test_a_network_of_that_layer_trains_and_its_weights_come_back(scope):
    assert "transfer" in scope["printed"][-1]
    ours, again = scope["mine"].state_dict(), scope["again"].state_dict()
    assert all(bool((ours[name] == again[name]).all()) for name in ours)


def test_the_tables_are_complete():
    rows = re.findall(r"^\| `([a-z0-9_-]+)` \|", PAGE, flags=re.MULTILINE)
    assert sorted(rows[: len(models.names())]) == models.names()
    assert rows[len(models.names()) :] == list(model_checks())


COMMANDS = re.findall(r"^    timegrain (check .*?)(?:\s+#.*)?$", PAGE, flags=re.MULTILINE)


@pytest.mark.parametrize("words", [shlex.split(c) for c in COMMANDS])
def test_commands_are_accepted(words, scope, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_code.py").write_text("from torch import nn\nnet = nn.Linear(3, 2)\n")
    assert run([*words, "--only", "batch"]) == 0
    assert "keeps the contract" in capsys.readouterr().out


def test_the_measured_part_can_be_replaced():
    assert PAGE.count("<!-- measured: begin -->") == PAGE.count("<!-- measured: end -->") == 1
