"""What a ladder costs: that it is measured, and what the page says of it."""

import pytest

import ladder
from ladder_table import page_of, ratios


def row(model, whole, *, peak=True):
    seconds = {
        "ladder": [whole, 2 * whole, whole],
        "forward": [0.010, 0.020, 0.010],
        "levels": [0.020] * 3,
        "draw": [0.005] * 3,
    }
    parts = {"levels": 0.02, "twins": 0.001, "compared": 0.001, "norms": 0.0005, "rest": 0.0005}
    kept = {"ladder": 30.0, "forward": 20.0} if peak else {}
    return {"model": model, "amplitudes": 1, "seconds": seconds, "parts": parts, "peak": kept}


MACHINE = {"processor": "P", "python": "3", "load": 0.1, "versions": {"torch": "2", "s5": "1"}}


def test_ratios_are_formed_within_a_round():
    assert ratios(row("a", 0.024)) == pytest.approx([2.4, 2.4, 2.4])
    assert ratios(row("a", 0.024), drawing=True)[0] == pytest.approx(2.9)


def test_the_page_names_what_is_above_the_target_and_nothing_else():
    text = page_of([row("fast", 0.024), row("slow", 0.026)], ladder.SIZES, MACHINE, 3)
    assert "**Above 2.5**: slow at 1 amplitude." in text
    assert "| fast | 1 | 10.0 ms | 24.0 ms | 2.40 (2.40-2.40) | 2.90 | 30 MB | 20 MB |" in text
    assert "| slow | 1 | 2.00 | 2.00 | 0.10 | 0.10 | 0.05 | 0.05 | 0.50 |" in text
    assert "at most 2.5 forwards for every layer" in page_of(
        [row("fast", 0.024, peak=False)], ladder.SIZES, MACHINE, 3
    )


def test_a_small_ladder_is_measured_and_its_parts_are_most_of_it():
    found = ladder.measure("s4d", (0.5, 1.0), ladder.QUICK, 2)
    assert all(len(times) == 2 for times in found["seconds"].values())
    assert set(found["parts"]) == {"levels", *ladder.PARTS, "rest"}
    assert all(time > 0 for time in found["parts"].values())


def test_the_page_of_the_repository_is_of_a_whole_run_only():
    with pytest.raises(SystemExit):
        ladder.parse(["--quick"])
    assert ladder.parse([]).page is None
