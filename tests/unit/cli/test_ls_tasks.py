"""`timegrain ls tasks`: the cards as a table of 80 columns, or whole."""

import json
import subprocess
import sys

from timegrain.cli.main import run
from timegrain.core.codec import decode
from timegrain.data.cards import TaskCard, task_cards


def test_the_table_names_every_task_within_80_columns(capsys):
    assert run(["ls", "tasks"]) == 0
    text = capsys.readouterr().out
    assert max(len(line) for line in text.splitlines()) <= 80
    lines = {line.split()[0]: line for line in text.splitlines() if line}
    for card in task_cards():
        assert card.name in lines
        assert card.what in " ".join(text.split())
    assert lines["GunPoint"].split()[1:] == ["2", "classes", "50/-/150", "150", "x", "1", "0.493"]
    assert lines["python-source"].split()[1:] == ["-", "-", "-", "-"]


def test_json_holds_whole_cards(capsys):
    assert run(["ls", "tasks", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for fields in found:
        del fields["options"]  # of what makes the cases, which no card holds
    assert [decode(TaskCard, fields) for fields in found] == list(task_cards())


def test_neither_torch_nor_data_are_read_for_it():
    code = (
        "import sys\nfrom timegrain.cli.main import run\nrun(['ls', 'tasks', '--json'])\n"
        "sys.exit(any(m in sys.modules for m in ('torch', 'scipy', 'numba', 'pyarrow')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert done.returncode == 0


def test_json_holds_what_a_task_takes(capsys):
    assert run(["ls", "tasks", "--json"]) == 0
    found = {task["name"]: task["options"] for task in json.loads(capsys.readouterr().out)}
    assert found["GunPoint"] == found["imdb"] == {}
    assert list(found["dyck"])[:4] == ["length", "kinds", "depth", "answer"]
    assert found["dyck"]["kinds"] == {
        "default": 8,
        "domain": "a whole number 2 to 1000",
        "meaning": "the number of kinds of brackets",
    }
    assert found["vdp-forecast"]["n_train"]["default"] == 1500
