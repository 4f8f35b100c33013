import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timegrain.core.errors import ConfigError
from timegrain.data.generated import case_numbers, case_streams, part_of


def first(seed, name, index):
    return [r.random() for r in case_streams(seed, name, np.asarray(index))]


@settings(max_examples=20)
@given(
    st.lists(st.integers(0, 2**42), min_size=1, max_size=6),
    st.integers(0, 2**64 - 1),
    st.randoms(use_true_random=False),
)
def test_a_case_draws_the_same_alone_and_in_any_order(index, seed, shuffle):
    together = first(seed, "x", index)
    assert [first(seed, "x", [i])[0] for i in index] == together
    order = list(range(len(index)))
    shuffle.shuffle(order)
    assert first(seed, "x", [index[i] for i in order]) == [together[i] for i in order]


def test_cases_seeds_and_names_draw_other_numbers():
    numbers = [
        *first(0, "x", [0, 1, 2**40, 2**41]),
        *first(1, "x", [0, 1]),
        *first(0, "y", [0, 1]),
        *first(2**64 - 1, "x", [0]),
    ]
    assert len(set(numbers)) == len(numbers)


def test_what_cases_draw_is_uniform_and_uncorrelated_from_case_to_case():
    draws = np.array([r.random(4) for r in case_streams(0, "x", np.arange(4000))])
    # 4,000 uniforms: a mean has a deviation of .29 / 63, a correlation one of 1 / 63
    assert np.abs(draws.mean(axis=0) - 0.5).max() < 5 * 0.29 / 63
    near = np.corrcoef(draws[:-1].T, draws[1:].T)[:4, 4:]
    assert np.abs(near).max() < 5 / 63


def test_a_case_never_reaches_the_numbers_of_the_next():
    long, after = case_streams(0, "x", np.array([0, 1]))
    assert after.random() not in long.random(100_000)


def test_parts_never_meet():
    parts = [case_numbers(p, 5) for p in ("train", "validation", "test")]
    assert [part_of(p).tolist() for p in parts] == [[0] * 5, [1] * 5, [2] * 5]
    assert case_numbers("test", 3, start=2).tolist() == parts[2][2:].tolist()
    assert part_of(case_numbers("train", 1, start=2**40 - 1)).tolist() == [0]
    for wrong in (-1, 2**40 + 1):
        with pytest.raises(ConfigError):
            case_numbers("train", wrong)
