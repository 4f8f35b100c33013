"""The tables of layers on generated tasks, and of their continuity."""

import pickle

import families
import model_continuity
from models_units import MODELS
from timegrain import load_task
from timegrain.models import models
from units import fewer


def test_layers_of_the_table_are_registered():
    assert {layer for layer, _ in families.LAYERS.values()} <= set(models.names())


def test_a_table_has_all_layers_and_the_spread_of_seeds():
    units = families.units_of()
    done = {u: {"score": 0.5 + 0.1 * u.seed, "trivial": 0.25} for u in units}
    text = families.table_of(done, {"torch": "2"})
    assert "| gla | 0.60 (0.50 to 0.70) | 0.60 (0.50 to 0.70) |" in text
    assert text.endswith("| commonest answer | 0.25 | 0.25 |")
    assert len({u.name for u in units}) == len(units)


def test_a_task_with_an_answer_a_sample_can_be_cut():
    task = fewer(load_task("parity", length=40, answer="every"), 50, 20)
    assert (len(task.train), len(task.test)) == (50, 20)
    assert 0.5 <= task.trivial_score < 0.75


def test_units_reach_other_processes():
    for script in (families, model_continuity):
        work = pickle.loads(pickle.dumps(script.work_of()))
        assert work.sizes == script.SIZES and work.needs(None, None) == ()


def test_a_page_has_a_row_a_layer_and_leaves_what_is_null_empty():
    row = {
        "outcome": "CONVERGES", "told": True, "order": 1.0, "interval": [0.9, 1.1],
        "exponent": -1e-17, "exponent_interval": None, "memory": [4.0, 5.0], "error": 0.5,
    }  # fmt: skip
    none = {**row, "order": None, "interval": None, "memory": None, "exponent": None}
    units = model_continuity.units_of(MODELS)
    done = dict.fromkeys(units, row)
    done[model_continuity.Unit(layer="gru")] = none
    text = model_continuity.page(done, {"torch": "2"}, units)
    assert "| s4 | yes | CONVERGES | 1.00 [0.90, 1.10] | 0.5 | 4 to 5 | 0.00 |" in text
    assert "| deltanet, `d_conv=0` | yes | CONVERGES |" in text
    assert "| gru | yes | CONVERGES |  | 0.5 |  |  |" in text
    assert f"`CONVERGES` ({len(units)} of {len(units)} rows)" in text
    assert "PRE_ASYMPTOTIC" not in text
