import statistics

import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.data import load_dataset
from timegrain.data.symbolic import listops, selective_copy_last


def value_of(words):
    """Evaluate an expression with a stack, written anew from the definition."""
    stack = [[]]
    for word in words:
        if word == "]":
            name, *arguments = stack.pop()
            stack[-1].append(
                {
                    "[MIN": min,
                    "[MAX": max,
                    "[MED": lambda a: int(statistics.median(a)),
                    "[SM": lambda a: sum(a) % 10,
                }[name](arguments)
            )
        elif word.startswith("["):
            stack.append([word])
        else:
            stack[-1].append(int(word))
    ((result,),) = stack
    return result


def words_of(data, i):
    return [data.vocabulary[symbol] for symbol in data.sequences[i]]


def test_every_expression_has_its_value():
    data = load_dataset("listops")
    for i in range(len(data)):
        assert data.class_names[data.labels[i]] == str(value_of(words_of(data, i)))


def test_expressions_follow_the_rule():
    data = load_dataset("listops")
    counts = []
    for i in range(len(data)):
        arguments, open_lists = [], []
        for word in words_of(data, i):
            if word == "]":
                arguments.append(open_lists.pop())
            elif open_lists:
                open_lists[-1] += 1
            if word.startswith("["):
                open_lists.append(0)
            assert len(open_lists) < 20
        counts += arguments
    # how many, not how often: long expressions are chosen, and have more lists with many arguments
    assert sorted(set(counts)) == [2, 3, 4, 5]
    assert (data.lengths.min(), data.lengths.max()) == (32, 128)
    assert len({s.tobytes() for s in data.sequences}) == len(data) == 5000
    assert data.n_train == 4000


def test_digits_and_operators_are_drawn_alike():
    data = load_dataset("listops")
    counts = np.bincount(np.concatenate(data.sequences), minlength=15)
    # about 16,000 of each digit and 15,000 of each operator: five standard deviations are 4 %
    for group in (counts[:10], counts[10:14]):
        assert np.abs(group / group.mean() - 1).max() < 0.04
    assert counts[10:14].sum() == counts[14]


def test_the_label_is_the_last_symbol():
    data = load_dataset("selective-copy-last")
    for sequence, label in zip(data.sequences, data.labels, strict=True):
        places = np.flatnonzero(sequence)
        assert len(places) == 16
        assert data.vocabulary[sequence[places[-1]]] == data.class_names[label]
    assert (len(data), data.n_train, len(data.sequences[0])) == (5000, 4000, 128)


def test_places_and_symbols_are_uniform():
    x = np.stack(load_dataset("selective-copy-last").sequences)
    # 625 in each place: five of 1 / sqrt(625) are 20 %; 5,714 of each kind: 6.6 %
    assert np.abs((x > 0).mean(axis=0) * 8 - 1).max() < 0.2
    kinds = np.bincount(x[x > 0], minlength=15)[1:]
    assert np.abs(kinds / kinds.mean() - 1).max() < 0.066


@pytest.mark.parametrize("make", [listops, selective_copy_last])
def test_a_seed_gives_the_same_symbols_and_another_other_ones(make):
    first, again, other = make(30), make(30), make(30, seed=1)
    assert [s.tolist() for s in first.sequences] == [s.tolist() for s in again.sequences]
    assert (first.labels == again.labels).all()
    assert [s.tolist() for s in first.sequences] != [s.tolist() for s in other.sequences]


@pytest.mark.parametrize(
    "make",
    [
        lambda: listops(1),
        lambda: listops(10, lengths=(3, 10)),
        lambda: listops(10, lengths=(20, 10)),
        lambda: listops(500, lengths=(4, 4)),  # 4 operators and 2 digits: 400
        lambda: selective_copy_last(5, length=4, n_marked=5),
        lambda: selective_copy_last(1),
    ],
)
def test_arguments_outside_their_domain(make):
    with pytest.raises(ConfigError):
        make()
