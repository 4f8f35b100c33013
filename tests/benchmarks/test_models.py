"""The benchmark of models: it goes on where it was stopped, and its table holds what was found."""

import json
from dataclasses import replace

import pytest

import models as benchmark
import models_table
import models_units
from timegrain.models import models
from units import Folder, Work, run

TINY = replace(
    models_units.SIZES,
    epochs=(("JapaneseVowels", 2),),
    seeds=1,
    n_train=40,
    n_test=20,
    d_model=4,
    n_layers=1,
    rates=(0.01,),
)
WORK = Work(
    sizes=TINY,
    carry_out=models_units.carry_out,
    needs=models_units.needs,
    say=benchmark.outcome,
)
TASKS, MODELS = ("JapaneseVowels",), ("gru",)


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("units"), TINY.settings())
    units = models_units.units_of(TINY, TASKS, MODELS)
    assert run(units, folder, WORK)
    return units, folder


def test_every_registered_layer_is_in_it():
    assert sorted(models_units.MODELS) == models.names()


def test_what_a_unit_reads_comes_before_it():
    units = models_units.units_of(models_units.SIZES, models_units.TASKS, models_units.MODELS)
    for number, unit in enumerate(units):
        assert set(models_units.needs(unit, models_units.SIZES)) <= {*units[:number]}


def test_units_are_done_once(cell, capsys):
    units, folder = cell
    assert run(units, folder, WORK, limit=None, jobs=1)
    assert "3 of 3 units are there" in capsys.readouterr().out
    other = Folder(folder.path, {**TINY.settings(), "d_model": 8})
    assert not run(units, other, WORK, limit=0, jobs=1)
    assert "stopped after 0 s" in capsys.readouterr().out


def test_the_table_goes_between_the_marks(cell, tmp_path):
    units, folder = cell
    done = {unit: folder.read(unit) for unit in units}
    assert json.dumps(list(done.values()))  # no NaN, no arrays
    text = models_table.table_of(TINY, done, TASKS, MODELS, {"torch": "2"}, len(units))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in rows}) == 1
    assert any(line.startswith("| gru (not told) | 0.") for line in rows)
    assert any(line.startswith("| baseline | 0.") for line in rows)
    page = tmp_path / "page.md"
    page.write_text(f"before\n{benchmark.BEGIN}\nold\n{benchmark.END}\nafter\n")
    benchmark.put_into(page, text)
    benchmark.put_into(page, text)
    assert page.read_text() == f"before\n{benchmark.BEGIN}\n{text}\n{benchmark.END}\nafter\n"
    page.write_text("no marks")
    with pytest.raises(SystemExit):
        benchmark.put_into(page, text)


def test_a_diverged_training_stands_in_the_table(cell):
    units, folder = cell
    done = {unit: folder.read(unit) for unit in units}
    done[units[-1]] = {"diverged": "loss NaN", "lr": 0.01}
    text = models_table.table_of(TINY, done, TASKS, MODELS, {}, len(units) + 1)
    assert "| gru | diverged |" in text
    assert "**3 of 4 units are done.**" in text
