"""The lines that people read say what a number is relative to, and promise nothing unseen."""

import dataclasses

import numpy as np
import pytest

from timegrain._version import __version__
from timegrain.continuity.model.measure import model_continuity
from timegrain.continuity.model.result import AmplitudeOutcome, ErrorRow
from timegrain.continuity.model.summary import off_text, slopes_text, summary_lines
from timegrain.core import Outcome

SWEEP = (0.1, 1.0, 10.0)


def leaky(x, tau=1.0):
    y, kept = np.zeros_like(x), np.exp(-tau)
    for k in range(1, x.shape[1]):
        y[:, k] = kept * y[:, k - 1] + (1 - kept) * x[:, k - 1]
    return y


@pytest.fixture(scope="module")
def measured():
    return model_continuity(leaky, seeds=2, levels=4, length=32, amplitudes=SWEEP)


def line(result, label):
    return dict(summary_lines(result))[label]


def with_law(result, constants, exponent=0.5):
    outcomes = tuple(
        AmplitudeOutcome(amplitude=a, outcome=Outcome.CONVERGES, order=1.0, constant=c, in_law=True)
        for a, c in zip(SWEEP, constants, strict=True)
    )
    return dataclasses.replace(result, outcomes=outcomes, amplitude_exponent=exponent)


def with_errors(result, errors):
    rows = tuple(
        ErrorRow(amplitude=a, tau=1.0, error=e, layer="output")
        for a, e in zip(SWEEP, errors, strict=True)
    )
    return dataclasses.replace(result, errors=rows)


def test_an_untold_model_is_said_to_be_untold_beside_its_outcome(measured):
    assert line(measured, "outcome").startswith("CONVERGES: ")
    native = model_continuity(lambda x: leaky(x), seeds=2, levels=4, length=32)
    assert line(native, "outcome").startswith("MEMORY_COLLAPSES, not told its step: ")


def test_convergence_without_memory_promises_nothing(measured):
    unseen = dataclasses.replace(measured, memory=None, reasons={"memory": "it pools"})
    assert "does not say that the model survives another rate" in line(unseen, "outcome")
    assert "features(x)" in line(unseen, "try")
    assert "try" not in dict(summary_lines(measured))
    blank = tuple(dataclasses.replace(row, memory=None) for row in measured.memory)
    silent = dataclasses.replace(measured, memory=blank, reasons={"memory": "no response"})
    assert "memory was not seen" in line(silent, "outcome")


def test_an_outcome_that_promises_nothing_keeps_its_message(measured):
    stalled = dataclasses.replace(measured, outcome=Outcome.STALLS, memory=None)
    assert stalled.message == Outcome.STALLS.message
    assert stalled.cure == Outcome.STALLS.cure


def test_local_exponents_are_printed_where_they_differ(measured):
    bent = with_law(measured, (0.2, 0.2, 0.2 * 10**1.25))
    assert slopes_text(bent) == "not one power: 0.00 from 0.1 to 1, 1.25 from 1 to 10"
    assert "amplitude^0.50 (no interval) on the whole, not one power: 0.00" in line(
        bent, "amplitude law"
    )
    near = with_law(measured, (0.2, 0.2 * 10**0.4, 0.2 * 10**1.08))  # .4 and .68: .28 apart
    assert slopes_text(near) == ""
    assert "not one power" not in line(near, "amplitude law")


def test_local_exponents_follow_the_amplitudes_and_leave_out_unknown_constants(measured):
    swapped = with_law(measured, (0.2, 0.2, 2.0))
    swapped = dataclasses.replace(swapped, outcomes=swapped.outcomes[::-1])
    assert [round(s, 9) for *_, s in swapped.local_exponents()] == [0.0, 1.0]
    ((low, high, slope),) = with_law(measured, (0.2, None, 20.0)).local_exponents()
    assert (low, high, round(slope, 9)) == (0.1, 10.0, 1.0)


def test_opposite_slopes_are_not_called_independence(measured):
    text = line(with_law(measured, (0.2, 0.6, 0.2), exponent=0.0), "amplitude law")
    assert "does not depend" not in text
    assert "not one power" in text


def test_errors_say_what_they_are_relative_to(measured):
    text = line(with_errors(measured, (0.29, 0.29, 0.3)), "error at tau 1")
    assert text == "0.29 of the limit's largest value at amplitude 0.1, 0.29 at 1, 0.3 at 10"
    rms = dataclasses.replace(measured, norm="rms")
    assert "of the limit's root mean square" in line(rms, "error at tau 1")


def test_an_error_above_its_output_is_put_in_words(measured):
    result = with_errors(measured, (0.29, 2.0, 5.2))
    assert off_text(result) == (
        "at amplitude 1 the working grid's output is off by 2 times its size, at 10 by 5.2 times"
    )
    assert off_text(result) in line(result, "error at tau 1")
    assert off_text(measured) == ""


def test_an_amplitude_without_a_limit_is_said_to_have_none(measured):
    text = line(with_errors(measured, (None, 0.3, 0.4)), "error at tau 1")
    assert text == (
        "no limit at amplitude 0.1, 0.3 of the limit's largest value at amplitude 1, 0.4 at 10"
    )


@pytest.mark.parametrize(
    ("used", "words"),
    [(5, "seen on all 5 grids"), (3, "seen on 3 of 5 grids"), (0, "5 grids do not agree")],
)
def test_grids_are_counted_one_way(measured, used, words):
    result = dataclasses.replace(measured, levels_used=used)
    assert words in line(result, "order")
    assert "halved 4 times (5 grids)" in line(result, "input")


def test_memory_is_in_the_time_unit(measured):
    assert line(measured, "memory").endswith(", in time units (the signal lasts 32)")
    assert "in s (" in line(dataclasses.replace(measured, unit="s"), "memory")


def test_the_default_discretization_of_a_layer_is_known():
    result = model_continuity("s6", d_model=4, seeds=1, levels=3, length=16)
    assert result.discretization == "euler_b"
    assert "discretization=euler_b (its default)" in line(result, "measured")
    asked = dataclasses.replace(result, options={"discretization": "zoh"})
    assert asked.discretization == "zoh"
    assert "default" not in line(asked, "measured")
    old = dataclasses.replace(result.provenance, timegrain=f"{__version__}.other")
    assert dataclasses.replace(result, provenance=old).discretization is None
    assert dataclasses.replace(result, name="gru").discretization is None
