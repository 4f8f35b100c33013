"""Numbers as people read them."""

import math

import pytest

from timegrain.report.figures.scales import power_of_ten, ratio
from timegrain.report.page.numbers import MISSING, cell, fixed, near_one, significant


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (16.0, "16"),
        (12345.0, "12,345"),
        (0.00042451, "4.25 × 10⁻⁴"),
        (-0.0959, "−0.0959"),
        (1234567.0, "1.23 × 10⁶"),
        (0.9999, "1.00"),
        (9.9996e-5, "1.00 × 10⁻⁴"),
    ],
)
def test_significant(value, text):
    assert significant(value) == text


def test_no_negative_zero():
    assert fixed(-0.001) == "0.00" and fixed(-0.01) == "−0.01"


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_missing_numbers_keep_their_reason(value):
    assert (cell(value, why="too few").text, cell(value, why="too few").title) == (
        MISSING,
        "too few",
    )


def test_shares_near_one_show_their_distance_from_it():
    assert near_one(0.99957549) == "0.99958"
    assert near_one(1.0) == "1.000000"
    assert near_one(0.5, like=0.9996) == "0.50000"


def test_ticks():
    assert [ratio(v) for v in (64, 0.015625, 0.3)] == ["64", "1/64", "0.3"]
    assert power_of_ten(-3) == "10⁻³"
