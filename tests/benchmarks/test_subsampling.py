"""The benchmark of subsampling: it goes on where it was stopped, and compares like with like."""

import json
from dataclasses import replace

import numpy as np
import pytest

import subsampling
import subsampling_presets
import subsampling_table
import subsampling_units
from kept import Kept
from timegrain import SubsamplingPlan
from units import Folder, Work, run

TINY = replace(
    subsampling_presets.QUICK,
    name="tiny",
    epochs=dict.fromkeys(subsampling_presets.TASKS, (3, 3, 3)),
    n_train=40,
    n_train_gru=40,
    n_test=20,
    n_watch=10,
    d_model=4,
    n_layers=1,
    rates=(0.01, 0.03),
    seeds={"s4d": 1, "s6": 1, "gru": 1},
)
WORK = Work(
    sizes=TINY,
    carry_out=subsampling_units.carry_out,
    needs=subsampling_units.needs,
    say=subsampling.outcome,
)


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    """One cell of the benchmark, stopped at once and then run to its end."""
    folder = Folder(tmp_path_factory.mktemp("units"), TINY.settings_of)
    units = subsampling_units.units_of(TINY, ("selective-copy-last",), ("s6",))
    assert not run(units, folder, WORK, limit=0)
    assert all(folder.read(unit) is None for unit in units)
    assert run(units, folder, WORK, limit=None, jobs=2)
    return units, folder


def test_units_are_whole_files_and_done_once(cell, capsys):
    units, folder = cell
    assert sorted(p.name for p in folder.path.iterdir()) == sorted(f"{u.name}.json" for u in units)
    before = {p.name: p.stat().st_mtime_ns for p in folder.path.iterdir()}
    assert run(units, folder, WORK, limit=None)
    assert f"{len(units)} of {len(units)} units are there" in capsys.readouterr().out
    assert before == {p.name: p.stat().st_mtime_ns for p in folder.path.iterdir()}


def test_what_a_unit_reads_comes_before_it():
    units = subsampling_units.units_of(subsampling_presets.QUICK, ("lorenz",), ("s4d", "gru"))
    for number, unit in enumerate(units):
        assert set(subsampling_units.needs(unit, subsampling_presets.QUICK)) <= {*units[:number]}


def test_a_half_written_unit_and_other_settings_do_not_count(cell, tmp_path):
    units, _ = cell
    folder = Folder(tmp_path, TINY.settings_of)
    (tmp_path / f"{units[0].name}.1.part").write_text('{"settings"')
    assert folder.read(units[0]) is None
    folder.write(units[0], {"text": "none"})
    assert folder.read(units[0]) == {"text": "none"}
    other = replace(TINY, d_model=8)
    assert Folder(tmp_path, other.settings_of).read(units[0]) is None


def test_what_is_kept_beside_the_page_counts_for_the_same_settings(cell, tmp_path):
    units, folder = cell
    file = tmp_path / "page.jsonl"
    keeping = Folder(folder.path, TINY.settings_of, Kept(file))
    rest = subsampling_units.units_of(TINY, ("selective-copy-last",), ("gru",))
    whole = subsampling.whole_cells(list(dict.fromkeys([*units, *rest])), keeping)
    assert whole == units, "no arm of a cell that is not done"
    keeping.keep(whole)
    elsewhere = Folder(tmp_path / "empty", TINY.settings_of, Kept(file))
    assert all(elsewhere.read(unit) == folder.read(unit) for unit in units)
    assert elsewhere.line(units[0])["processor"] and elsewhere.read(rest[-1]) is None
    elsewhere.keep(units)  # from its own lines
    assert all(Folder(tmp_path, TINY.settings_of, Kept(file)).read(unit) for unit in units)
    wider = replace(TINY, d_model=8)
    assert Folder(tmp_path, wider.settings_of, Kept(file)).read(units[0]) is None


def test_a_plan_that_declines_is_the_baseline(cell):
    units, folder = cell
    found = {unit.kind: folder.read(unit) for unit in units}
    assert not found["plan"]["subsample"]
    assert found["auto"] == {**found["full"], "declined": True}
    assert found["full"]["stages"] == "1:3" and len(found["full"]["history"]) == 3
    assert json.dumps(found["full"])  # no NaN, no arrays


def test_the_page_has_every_arm(cell):
    units, folder = cell
    done = {unit: folder.read(unit) for unit in units}
    text = subsampling_table.page(TINY, done, ("selective-copy-last",), ("s6",), {}, len(units) + 1)
    assert f"**{len(units)} of {len(units) + 1} units are done.**" in text
    assert "| selective-copy-last | s6 | declines |" in text
    tables = [line.count("|") for line in text.splitlines() if line.startswith("|")]
    assert tables[0] == tables[1] == tables[2] and len(set(tables[3:])) == 1
    assert "the plan declines on: selective-copy-last" in text


def test_a_choice_changes_one_thing_of_the_plan(monkeypatch):
    taken = []

    def record(model, task, *, plan, epochs, **options):
        taken.append(plan)
        raise InterruptedError

    monkeypatch.setattr(subsampling_units, "train", record)
    task = subsampling_units.sized("JapaneseVowels", "s4d", TINY)
    plan = SubsamplingPlan.of([(4, 2), (1, 1)], shares="coarse-heavy")
    cost = subsampling_units.Cost([1, 4], [1.0, 0.5])
    for kind in ("auto", *subsampling_units.CHOICES):
        unit = subsampling_units.Unit(kind=kind, task="JapaneseVowels", model="s4d")
        with pytest.raises(InterruptedError):
            subsampling_units.run_arm(unit, task, TINY, 0.01, plan.state_dict(), cost)
    assert taken[0] == plan
    assert taken[1] == replace(plan, lr_policy="restart")
    assert [stage.told for stage in taken[2].stages] == [1.0, 1.0]
    assert taken[2].strides == (4, 1)
    assert taken[3] == replace(plan, shares="epochs")


def test_epochs_fill_the_time_of_the_baseline():
    cost = subsampling_units.Cost([1, 2, 4], [1.0, 0.6, 0.4])
    plan = SubsamplingPlan.of([(4, 1), (1, 1)])
    epochs = subsampling_units.within(plan, 10, cost)
    spent = [
        sum(row.epochs * cost(1 / row.stride) for row in plan.epochs(n))
        for n in (epochs, epochs + 1)
    ]
    assert spent[0] <= 10 < spent[1]
    assert subsampling_units.within(SubsamplingPlan.none(), 7, cost) == 7


def test_the_warm_up_ends_with_whole_sequences():
    lengths = subsampling_units.warm_up_lengths(20)
    assert lengths[0] == 1 / 8 and set(lengths[10:]) == {1.0}
    assert np.allclose(np.diff(lengths[:11]), 7 / 80)


def test_times_are_read_from_the_watched_scores():
    full = {"history": [[5.0, 1, 0.4], [10.0, 2, 0.5]], "seconds": 10.0}
    run = {"history": [[1.0, 1, 0.3], [2.0, 2, 0.55], [3.0, 3, 0.5]]}
    assert subsampling_table.time_ratio(run, full) == 0.2
    assert subsampling_table.time_ratio(full, full) == 1.0
    assert subsampling_table.time_ratio({"history": [[1.0, 1, 0.4]]}, full) is None
    # four of one value in five tasks: the middle of a draw of tasks is rarely the fifth
    assert subsampling_table.redrawn([[1.0], [1.0], [1.0], [1.0], [9.0]])[0] == 1.0
    assert subsampling_table.interval([1.0, 2.0]) == (1.0, 2.0)
    # Student's t with 2 degrees of freedom is 4.3027
    low, high = subsampling_table.interval([1.0, 2.0, 3.0])
    assert (high - low) / 2 == pytest.approx(4.3027 / 3**0.5, abs=1e-4)
