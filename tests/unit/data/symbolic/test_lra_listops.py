"""ListOps against its definition, evaluated and drawn in other ways."""

import re

import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.data.generated import case_numbers
from timegrain.data.symbolic.nested import LRA_LISTOPS, lra_listops

INNERMOST = re.compile(r"\[(MIN|MAX|MED|SM)((?: \d)+) \]")


def middle(digits):
    """The median, rounded down."""
    digits = sorted(digits)
    return (digits[(len(digits) - 1) // 2] + digits[len(digits) // 2]) // 2


VALUES = {"MIN": min, "MAX": max, "MED": middle, "SM": lambda digits: sum(digits) % 10}


def value(match):
    return str(VALUES[match[1]]([int(digit) for digit in match[2].split()]))


def evaluated(text):
    """Replace lists of digits by their values until one digit is left."""
    depth = 0
    while len(text) > 1:
        text, found = INNERMOST.subn(value, text)
        assert found, text
        depth += 1
    return text, depth


def check(count):
    made = LRA_LISTOPS.cases(case_numbers("train", count))
    symbols, depths = np.array(LRA_LISTOPS.vocabulary, dtype=object), set()
    for sequence, length, label in zip(made.sequences, made.known, made.labels, strict=True):
        text = " ".join(symbols[sequence[:length]])
        answer, depth = evaluated(text)
        assert answer == LRA_LISTOPS.class_names[label]
        # digits are at depth 10 at most, the whole being at depth 1
        assert depth <= 9 and 500 < length < 2000
        depths.add(depth)
    assert 9 in depths
    return made


def test_answers_are_what_the_text_is_worth():
    made = check(150)
    assert set(made.labels) == set(range(10))


@pytest.mark.slow
def test_ten_thousand_answers():
    check(10_000)


def arguments_of(tokens):
    """How many arguments each list has."""
    counts, open_lists = [], []
    for token in tokens:
        if token == 14:
            counts.append(open_lists.pop())
        elif open_lists:
            open_lists[-1] += 1
        if 10 <= token < 14:
            open_lists.append(0)
    assert not open_lists
    return counts


def test_lists_have_two_to_ten_arguments():
    made = LRA_LISTOPS.cases(case_numbers("train", 100))
    counts = [
        c
        for s, n in zip(made.sequences, made.known, strict=True)
        for c in arguments_of(s[:n].tolist())
    ]
    assert set(counts) == set(range(2, 11))


def length_of_list(random, depth):
    """The length of a list, drawn as the definition says: a list in a list, one by one."""
    length = 2
    for _ in range(random.integers(2, 11)):
        nested = depth + 1 < 10 and random.random() < 0.25
        length += length_of_list(random, depth + 1) if nested else 1
    return length


def test_lengths_are_those_of_the_definition():
    random = np.random.default_rng(0)
    wanted = []
    while len(wanted) < 400:
        length = length_of_list(random, 1)
        if 500 < length < 2000:
            wanted.append(length)
    made = LRA_LISTOPS.cases(case_numbers("train", 400)).known
    # two samples of 400: their empirical distributions differ by less than 1.95 sqrt(2 / 400)
    # with probability .999
    grid = np.unique(np.concatenate([made, wanted]))
    both = [np.searchsorted(np.sort(x), grid, side="right") / 400 for x in (made, wanted)]
    assert np.abs(both[0] - both[1]).max() < 1.95 * np.sqrt(2 / 400)


def test_arguments_and_digits_are_uniform():
    flat = lra_listops(
        case_numbers("train", 3000), seed=0, shortest=4, longest=12, max_depth=2, max_args=10
    )
    lengths = np.bincount(flat.known, minlength=13)[4:]
    # 9 lengths, 4 operators, 10 digits: chi-square, five standard deviations above its mean
    inside = np.arange(12) < flat.known[:, None]
    tokens = np.bincount(flat.sequences[inside], minlength=15)
    for counts in (lengths, tokens[10:14], tokens[:10]):
        freedom = len(counts) - 1
        square = ((counts - counts.mean()) ** 2 / counts.mean()).sum()
        assert square < freedom + 5 * np.sqrt(2 * freedom)


def test_a_quarter_of_the_arguments_are_lists():
    deep = lra_listops(
        case_numbers("train", 2000), seed=0, shortest=4, longest=2000, max_depth=4, max_args=10
    )
    # 1 + 1.5 + 1.5^2 lists on average; a list has 6 arguments with variance 20/3, a quarter lists,
    # so 1.5 with variance 1.125 + 5/12: the number in all varies by 3.4, five of 3.4 / sqrt(2000)
    lists = (deep.sequences == 14).sum(axis=1)
    assert abs(lists.mean() - 4.75) < 0.38


def test_expressions_that_cannot_be(monkeypatch):
    monkeypatch.setattr("timegrain.data.symbolic.nested._PATIENCE", 1000)
    with pytest.raises(ConfigError, match="too rare"):
        lra_listops(
            case_numbers("train", 1), seed=0, shortest=13, longest=20, max_depth=2, max_args=10
        )


def test_depths_at_which_hardly_any_expression_ends_are_refused_soon():
    words = {"shortest": 501, "longest": 1999, "max_args": 10}
    with pytest.raises(ConfigError, match="max_depth=10 and max_args=10, as published"):
        lra_listops(case_numbers("train", 15), seed=0, max_depth=100, **words)
