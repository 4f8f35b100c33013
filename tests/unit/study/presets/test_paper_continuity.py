from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest

from timegrain.continuity.model.reference_systems import ReferenceSystems
from timegrain.core.errors import ConfigError, UnknownNameError
from timegrain.core.result import read_result
from timegrain.study import run_study
from timegrain.study.presets.paper_continuity.settings import PaperContinuitySettings
from timegrain.study.presets.paper_continuity.tabulate import Curves, error_cells, growth_cell
from timegrain.study.presets.paper_continuity.words import conclusion, lines

TAUS = tuple(2.0**-m for m in range(10, 1, -1))
# medians of 500 systems at tau 2^-10, 2^-8, .., 2^-2, computed independently
TABLE = {
    ("s4", 1.0): (0.0021, 0.0083, 0.034, 0.138, 0.55),
    ("s4", 32.0): (0.0021, 0.0083, 0.034, 0.138, 0.55),
    ("s6", 1.0): (0.0031, 0.0122, 0.051, 0.185, 0.60),
    ("s6", 32.0): (0.0117, 0.046, 0.173, 0.53, 0.95),
}


@pytest.fixture(scope="module")
def found():
    events = []
    result = run_study(
        "paper-continuity",
        progress=events.append,
        systems=500,
        amplitudes=(1.0, sqrt(2.0), 32.0),
        taus=TAUS,
    )
    return result, events


@pytest.mark.slow
@pytest.mark.parametrize("cell", TABLE)
def test_the_medians_over_500_systems_agree_with_the_table_on_every_cell(found, cell):
    family, amplitude = cell
    rows = [found[0].row(family, amplitude=amplitude, tau=tau) for tau in TAUS[::2]]
    np.testing.assert_allclose([r.error for r in rows], TABLE[cell], rtol=0.2)


@pytest.mark.parametrize("cell", TABLE)
def test_the_medians_over_20_systems_hold_the_table_in_their_intervals(cell):
    family, amplitude = cell
    result = run_study("paper-continuity", amplitudes=(1.0, 32.0), taus=TAUS[::2])
    for tau, expected in zip(TAUS[::2], TABLE[cell], strict=True):
        row = result.row(family, amplitude=amplitude, tau=tau)
        # 95 % intervals are two standard errors each way, so twice as far is 1e-4 a cell; and a
        # table of two digits is rounded by up to 2.5 %
        assert 2 * log(row.low / row.error) - 0.025 <= log(expected / row.error)
        assert 2 * log(row.high / row.error) + 0.025 >= log(expected / row.error)


@pytest.mark.slow
def test_the_curves_of_s4_coincide_and_those_of_s6_do_not(found):
    spreads = {(g.family, g.discretization, g.norm): g.spread for g in found[0].growths}
    assert len(spreads) == 8
    assert all((spread <= 1e-9) == (family == "s4") for (family, _, _), spread in spreads.items())
    for g in found[0].growths:
        assert g.low <= g.growth <= g.high
        assert (g.low > 1) == (g.family == "s6")


@pytest.mark.slow
def test_every_curve_ends_at_order_one_and_the_reference_is_finer_than_the_errors(found):
    result, _ = found
    assert result.outcome.name == "CONVERGES"
    assert len(result.orders) == 2 * 2 * 2 * 3
    for o in result.orders:
        assert o.order == pytest.approx(1.0, abs=0.05)
        finest = result.row(
            o.family,
            amplitude=o.amplitude,
            tau=TAUS[0],
            discretization=o.discretization,
            norm=o.norm,
        )
        # order 2 is left in the reference: its error is about the square of the error at 2^-11
        assert o.reference < 0.02 * finest.error


@pytest.mark.slow
def test_rows_steps_and_text_go_with_the_numbers(found):
    result, events = found
    assert len(result.rows()) == 2 * 2 * 2 * 3 * 9 == len(result.errors)
    assert sorted({e.step for e in events}) == [1, 2, 3, 4]
    text = dict(lines(result))["conclusion"]
    assert text.startswith("S4 and S6 converge at order 1 (observed ")
    assert "S4's curves coincide across amplitudes" in text
    assert "S6's constant grows" in text and "neither diverges" in text
    assert read_result(result.to_json()) == result


@pytest.mark.slow
def test_the_conclusion_follows_the_numbers(found):
    result, _ = found
    flat = tuple(replace(g, growth=1.1, low=0.9, high=1.3, spread=0.1) for g in result.growths)
    text = conclusion(replace(result, growths=flat))
    assert "Whether S6's constant depends on the amplitude cannot be told from 500 systems" in text
    assert "coincide" not in text
    falling = tuple(replace(g, growth=0.5, low=0.4, high=0.6, spread=0.5) for g in result.growths)
    assert "S4's constant falls 0.50 times" in conclusion(replace(result, growths=falling))
    slow = tuple(replace(o, order=0.4) if o.family == "s6" else o for o in result.orders)
    text = conclusion(replace(result, orders=slow))
    assert "S6 has not settled at order 1 on this ladder (observed 0.40)" in text
    assert "S4 converges at order 1" in text and "neither diverges" not in text


def test_blocks_of_amplitudes_change_nothing(monkeypatch):
    asked = {"systems": 6, "amplitudes": (1.0, 3.0, 5.0), "taus": (0.125, 0.25)}
    whole = run_study("paper-continuity", **asked)
    monkeypatch.setattr("timegrain.study.presets.paper_continuity.measure.BLOCK", 6)
    assert run_study("paper-continuity", **asked).errors == whole.errors


def test_dropped_systems_are_counted_and_left_out():
    settings = PaperContinuitySettings(systems=8, amplitudes=(1.0, 2.0), taus=(0.25, 0.5))
    errors = np.arange(1.0, 33.0).reshape(2, 2, 8)
    errors[:, 1, :3] = np.nan
    curves = Curves(
        family="s6",
        discretization="zoh",
        norm="sup",
        errors=errors,
        reference=np.ones((2, 8)),
    )
    cells = error_cells(curves, settings)
    assert [c.n_dropped for c in cells] == [0, 0, 3, 3]
    assert cells[2].error == 14.0 and cells[2].low is None  # of 12, .., 16
    # the growth is of the five systems that are there at both amplitudes: 14 over 6
    assert growth_cell(curves, settings).growth == pytest.approx(14 / 6)
    errors[:, 1] = np.nan
    assert error_cells(curves, settings)[2].error is None
    assert growth_cell(curves, settings).growth is None


def test_a_system_that_underflows_is_counted_by_the_study():
    asked = {"systems": 100, "amplitudes": (1.0, 1e4), "taus": (0.25, 0.5)}
    result = run_study("paper-continuity", **asked)
    kept = ReferenceSystems(kind="s6", count=100).errors((2, 4), amplitude=1e4).shape[1]
    row = result.row("s6", amplitude=1e4, tau=0.25)
    assert row.n_dropped == 100 - kept > 0
    text = dict(lines(result))["dropped"]
    assert f"at most {100 - kept} of 100 systems (S6 at amplitude 10000)" in text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"systems": 0}, "number of systems"),
        ({"systems": True}, "number of systems"),
        ({"seed": -1}, "seed"),
        ({"amplitudes": (1.0,)}, "amplitudes"),
        ({"amplitudes": (2.0, 1.0)}, "amplitudes"),
        ({"amplitudes": (1.0, float("inf"))}, "amplitudes"),
        ({"taus": (0.1, 0.25)}, "power of two"),
        ({"taus": (2.0**-11, 0.25)}, "power of two"),
        ({"n_systems": 3}, "cannot be told n_systems"),
    ],
)
def test_settings_outside_their_domain_are_errors(given, words):
    with pytest.raises(ConfigError, match=words):
        run_study("paper-continuity", **given)


def test_an_unknown_preset_names_the_known_ones():
    with pytest.raises(UnknownNameError, match="paper-continuity"):
        run_study("paper-continuty")
