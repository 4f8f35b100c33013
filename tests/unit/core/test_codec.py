import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timegrain.core.codec import decode, encode
from timegrain.core.errors import ResultError


class Colour(Enum):
    RED = ("r", 1)
    BLUE = ("b", 2)


@dataclass(frozen=True, kw_only=True)
class Leaf:
    label: str
    value: float | None


@dataclass(frozen=True, kw_only=True)
class Tree:
    leaves: tuple[Leaf, ...]
    span: tuple[float, float] | None
    colour: Colour
    weights: Mapping[int, float]
    count: int = 0
    flag: bool = False


finite = st.floats(allow_nan=False, allow_infinity=False)
leaves = st.builds(Leaf, label=st.text(), value=st.none() | finite)
trees = st.builds(
    Tree,
    leaves=st.lists(leaves, max_size=3).map(tuple),
    span=st.none() | st.tuples(finite, finite),
    colour=st.sampled_from(Colour),
    weights=st.dictionaries(st.integers(), finite, max_size=3),
    count=st.integers(-(2**53), 2**53),
    flag=st.booleans(),
)


@given(trees)
def test_round_trip_through_json_text(tree):
    assert decode(Tree, json.loads(json.dumps(encode(tree), allow_nan=False))) == tree


def test_enums_go_by_name_and_arrays_become_lists():
    assert encode({"c": Colour.BLUE, "a": np.arange(3), "s": np.float64(0.5)}) == {
        "c": "BLUE",
        "a": [0, 1, 2],
        "s": 0.5,
    }


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan")])
def test_what_is_not_finite_becomes_null(value):
    assert encode(value) is None


def test_a_value_without_json_form_is_refused():
    with pytest.raises(ResultError, match="no JSON form"):
        encode(object())


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"extra": 1}, "unknown fields"),
        ({"colour": "GREEN"}, "no Colour"),
        ({"count": "three"}, "wrong type"),
        ({"count": True}, "wrong type"),
        ({"span": [1.0]}, "wrong length"),
        ({"leaves": [{"label": "x"}]}, "lacks fields"),
    ],
)
def test_what_does_not_fit_is_named(change, text):
    tree = Tree(leaves=(), span=(0.0, 1.0), colour=Colour.RED, weights={})
    with pytest.raises(ResultError, match=text):
        decode(Tree, {**encode(tree), **change})
