"""Answers found again by other ways than those that drew them."""

import re

import numpy as np
import pytest

from timegrain.data.generated import case_numbers
from timegrain.data.symbolic.brackets import DYCK
from timegrain.data.symbolic.groups import A5_STATE, S5_STATE
from timegrain.data.symbolic.induction import INDUCTION_HEADS
from timegrain.data.symbolic.recall import MQAR
from timegrain.data.symbolic.selective import SELECTIVE_COPYING
from timegrain.data.symbolic.sums import MODULAR_ADDITION, PARITY

INDEX = case_numbers("train", 300)


def words_of(source, made):
    for sequence, length in zip(made.sequences, made.known, strict=True):
        yield [source.vocabulary[token] for token in sequence[:length]]


def names_of(source, made):
    return [source.class_names[label] for label in made.labels]


def same_with_every_answer(source):
    """One answer is the last of those given behind every symbol."""
    every = source.turned(answer="every").cases(INDEX)
    last = source.cases(INDEX)
    assert (every.sequences == last.sequences).all()
    assert (every.labels[:, -1] == last.labels).all()
    return every


def test_parity_counts_ones():
    made = same_with_every_answer(PARITY)
    odd = False
    for bit, answer in zip(made.sequences[0], made.labels[0], strict=True):
        odd ^= bool(bit)
        assert answer == odd
    for word, name in zip(
        words_of(PARITY, PARITY.cases(INDEX)), names_of(PARITY, PARITY.cases(INDEX)), strict=True
    ):
        assert (word.count("1") % 2 == 1) == (name == "odd")
    # 38,400 fair bits, and 300 fair answers: five standard deviations
    assert abs(made.sequences.mean() - 0.5) < 0.013
    assert abs(made.labels[:, -1].mean() - 0.5) < 0.15


@pytest.mark.parametrize("modulus", [3, 5, 60])
def test_modular_addition_takes_one_step_after_the_other(modulus):
    made = same_with_every_answer(MODULAR_ADDITION.turned(modulus=modulus))
    for x, answers in zip(made.sequences[:20].tolist(), made.labels.tolist(), strict=False):
        total = 0
        for number, answer in zip(x, answers, strict=True):
            for _ in range(number):
                total = 0 if total == modulus - 1 else total + 1
            assert answer == total


def matrix(word):
    """The matrix that moves what stands at `i` to the place the word says."""
    moved = np.zeros((5, 5), dtype=int)
    moved[[int(letter) for letter in word], range(5)] = 1
    return moved


@pytest.mark.parametrize(("source", "order"), [(S5_STATE, 120), (A5_STATE, 60)])
def test_states_of_a_group_are_products_of_matrices(source, order):
    made = same_with_every_answer(source)
    signs = {round(np.linalg.det(matrix(word))) for word in source.vocabulary}
    assert len(set(source.vocabulary)) == order
    assert signs == ({-1, 1} if order == 120 else {1})
    for word, answers in zip(list(words_of(source, made))[:20], made.labels, strict=False):
        state = np.eye(5, dtype=int)
        for permutation, answer in zip(word, answers, strict=True):
            state = matrix(permutation) @ state
            assert (state == matrix(source.class_names[answer])).all()
    assert len(np.unique(made.sequences)) == order


def open_brackets(word):
    """What is left when neighbours that belong together are crossed out again and again."""
    text = "".join(word)
    while True:
        shorter = re.sub(r"<(\d+)\1>", "", text)
        if shorter == text:
            return re.findall(r"<(\d+)|(\d+)>", text)
        text = shorter


def test_brackets_are_crossed_out_but_for_those_that_are_open():
    made = DYCK.cases(INDEX)
    for word, name in zip(words_of(DYCK, made), names_of(DYCK, made), strict=True):
        assert word[-1].endswith(">")
        left = open_brackets(word)
        assert 1 <= len(left) < 5 and all(opening for opening, _ in left)
        assert name == f"{left[-1][0]}>"


def test_brackets_nest_no_deeper_and_every_kind_comes():
    every = DYCK.turned(answer="every", kinds=3, depth=4)
    made = every.cases(INDEX)
    depth = np.where(made.sequences < 3, 1, -1).cumsum(axis=1)
    assert depth.min() == 0 and depth.max() == 4
    assert ((made.labels == 3) == (depth == 0)).all()
    for word, answers in zip(list(words_of(every, made))[:5], made.labels, strict=False):
        for k, answer in enumerate(answers):
            left = open_brackets(word[: k + 1])
            assert every.class_names[answer] == (f"{left[-1][0]}>" if left else "nothing")
    # where both may come, each comes half of the time: 100 of 128 places, so that what the end must
    # be does not show; some 20,000 of them, five standard deviations
    before = depth[:, :99]
    free = (before > 0) & (before < 4)
    assert free.sum() > 18_000
    assert abs((made.sequences[:, 1:100] < 3)[free].mean() - 0.5) < 0.018
    # some 19,000 opening brackets of three kinds: five standard deviations are 5 %
    kinds = np.bincount(made.sequences[made.sequences < 3])
    assert np.abs(kinds / kinds.mean() - 1).max() < 0.05


def test_the_symbol_behind_the_mark():
    made = INDUCTION_HEADS.cases(INDEX)
    places = []
    for word, name in zip(
        words_of(INDUCTION_HEADS, made), names_of(INDUCTION_HEADS, made), strict=True
    ):
        assert len(word) == 256 and word.count("mark") == 2 and word[-1] == "mark"
        places.append(word.index("mark"))
        assert word[places[-1] + 1] == name
    # uniform on 0..253: deviation 73 / sqrt(300), five of them
    assert abs(np.mean(places) - 126.5) < 21


def test_selective_copying_asks_for_each_symbol_alike():
    made = SELECTIVE_COPYING.cases(INDEX)
    asked = []
    for word, name in zip(
        words_of(SELECTIVE_COPYING, made), names_of(SELECTIVE_COPYING, made), strict=True
    ):
        symbols = [s for s in word[:-1] if s != "."]
        number = int(word[-1].removeprefix("which "))
        assert len(word) == 257 and len(symbols) == 16
        assert symbols[number - 1] == name
        asked.append(number)
    assert set(asked) == set(range(1, 17))
    # 300 of 16 in 256 places, by 16 blocks, and 14 kinds: chi-square, five standard deviations
    blocks = (made.sequences[:, :256] > 0).reshape(300, 16, 16).sum(axis=(0, 2))
    kinds = np.bincount(made.sequences[:, :256].ravel(), minlength=15)[1:]
    for counts in (blocks, kinds):
        freedom = len(counts) - 1
        square = ((counts - counts.mean()) ** 2 / counts.mean()).sum()
        assert square < freedom + 5 * np.sqrt(2 * freedom)


def test_selective_copying_as_published_writes_all_in_their_order():
    published = SELECTIVE_COPYING.turned(answer="every", length=4096)
    made = published.cases(INDEX[:20])
    for word, labels in zip(words_of(published, made), made.labels, strict=True):
        assert word[4096:] == ["write"] * 16 and (labels[:4096] == -1).all()
        symbols = [s for s in word[:4096] if s != "."]
        assert [published.class_names[label] for label in labels[4096:]] == symbols
    assert published.n_symbols == 16


def test_recall_looks_up_what_a_dictionary_holds():
    every = MQAR.turned(answer="every")
    made, last = every.cases(INDEX), MQAR.cases(INDEX)
    ends = []
    for x, labels, short, name in zip(
        words_of(every, made),
        made.labels,
        words_of(MQAR, last),
        names_of(MQAR, last),
        strict=True,
    ):
        table = dict(zip(x[0:16:2], x[1:16:2], strict=True))
        assert len(table) == 8 == len(set(table.values()))
        assert all(key.startswith("k") for key in table)
        places = np.flatnonzero(labels >= 0)
        assert sorted(x[k] for k in places) == sorted(table) and (places % 2 == 0).all()
        assert all(every.class_names[labels[k]] == table[x[k]] for k in places)
        # the one answer is one of them, of the same case cut there
        assert short == x[: len(short)] and len(short) - 1 in places
        assert name == table[short[-1]]
        ends.append(int(np.searchsorted(places, len(short) - 1)))
    assert set(ends) == set(range(8))


def test_later_keys_spread_as_their_weights_say():
    index = case_numbers("train", 2000)
    every = MQAR.turned(answer="every", pairs=4, length=32, spread=0.01)
    labels = every.cases(index).labels
    # 12 places with the weights of a power law; each first key is drawn from all of them
    first = np.zeros(12)
    made = every.cases(index)
    for x, row in zip(made.sequences, labels, strict=True):
        key = x[0]
        place = next(k for k in np.flatnonzero(row >= 0) if x[k] == key)
        first[(place - 8) // 2] += 1
    weights = np.arange(1, 13) ** -0.99
    expected = 2000 * weights / weights.sum()
    # chi-square with 11 degrees of freedom: five standard deviations above its mean
    assert ((first - expected) ** 2 / expected).sum() < 11 + 5 * np.sqrt(22)
