"""The dial from curves to symbols: monotone in continuity, and honest about what it can turn."""

from dataclasses import replace

import numpy as np
import pytest

from timegrain.continuity import task_continuity
from timegrain.core.errors import ConfigError, DataError
from timegrain.data import load_dataset
from timegrain.data.dials import load_dial, parse_dials, window_shuffle
from timegrain.data.systems.forecast import forecast
from timegrain.data.systems.generators import SYSTEMS

FEW = {"n_train": 4, "n_validation": 1, "n_test": 2, "length": 128}
WINDOW = 128


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_continuity_falls_as_eta_rises(system, seed):
    source = forecast(system).turned(length=WINDOW)
    index = np.arange(30)
    curve = source.cases(index, seed=seed).sequences
    code = source.turned(eta=1).cases(index, seed=seed).sequences
    # what is observed is linear in eta, which is tested with the source
    found = [
        task_continuity((1 - eta) * curve + eta * code, window=WINDOW).continuity
        for eta in (0, 0.25, 0.5, 0.75, 1)
    ]
    assert found == sorted(found, reverse=True) and len(set(found)) == 5, found


def test_the_dial_makes_the_cases_once_more():
    data = load_dataset("damped-forecast", **FEW, n_ahead=2, dt=0.02)
    turned = load_dial("eta").turn(data, 0.5, seed=9)
    known = load_dataset("damped-forecast", **FEW, n_ahead=2, dt=0.02, eta=0.5)
    assert turned.n_train == 4 and len(turned) == 7
    np.testing.assert_array_equal(turned.labels, data.labels)
    np.testing.assert_array_equal(turned.stacked()[0], known.stacked()[0])
    assert load_dial("eta").turn(data, 0, seed=9) is data


def test_the_dial_knows_what_was_said_of_the_set():
    words = {**FEW, "horizon": 0.8, "seed": 3}
    turned = load_dial("eta").turn(load_dataset("damped-forecast", **words), 0.5)
    known = load_dataset("damped-forecast", **words, eta=0.5)
    np.testing.assert_array_equal(turned.stacked()[0], known.stacked()[0])
    assert turned.options == known.options


def test_the_dial_turns_nothing_it_cannot_make():
    dial = load_dial("eta")
    data = load_dataset("damped-forecast", **FEW)
    for other in (
        load_dataset("damped-forecast", **FEW, eta=0.5),
        replace(load_dataset("damped-forecast", **FEW, seed=1), options={}),
        window_shuffle(data, 4),
    ):
        with pytest.raises(DataError, match="once more"):
            dial.turn(other, 0.5)
    with pytest.raises(DataError, match="forecasts of systems"):
        dial.turn(load_dataset("damped-inference", **FEW), 0.5)


@pytest.mark.parametrize("dose", [-0.1, 1.1, np.nan])
def test_doses_outside_their_domain(dose):
    with pytest.raises(ConfigError, match="eta"):
        load_dial("eta").turn(load_dataset("damped-forecast", **FEW), dose)
    with pytest.raises(ConfigError, match="eta"):
        parse_dials([f"eta=0,{dose}"])
