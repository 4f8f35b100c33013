import pytest

from timegrain.core.errors import UnknownNameError
from timegrain.core.registry import Registry, nearest, suggest


@pytest.fixture
def registry() -> Registry:
    registry = Registry("model")
    registry.register("s4d", "timegrain.core.grid:TimeGrid", "diagonal")
    registry.register("s6", "no.such.module:thing", "selective")
    registry.register("gru", "timegrain.core.signal:Signal", "gated")
    return registry


def test_registering_imports_nothing_and_loading_does(registry):
    assert registry.load("s4d").__name__ == "TimeGrid"
    with pytest.raises(ModuleNotFoundError):
        registry.load("s6")


def test_a_misspelt_name_suggests_the_nearest(registry):
    with pytest.raises(UnknownNameError) as caught:
        registry.load("S4DD")
    assert str(caught.value) == (
        "there is no model called 'S4DD', expected one of gru, s4d, s6.\nTry s4d."
    )


def test_a_name_that_is_like_none_is_suggested_nothing(registry):
    with pytest.raises(UnknownNameError) as caught:
        registry.load("hippo")
    assert caught.value.hint is None
    assert "Try" not in str(caught.value)


def test_names_alike_but_for_their_case_or_with_commas_stay_whole():
    assert nearest("eeg, lef", ["EEG, left", "ECG", "eeg, left"], count=2) == [
        "EEG, left",
        "eeg, left",
    ]
    assert suggest("x", []) is None


def test_names_are_sorted_and_contained(registry):
    assert registry.names() == ["gru", "s4d", "s6"]
    assert "gru" in registry
    assert "lstm" not in registry
    assert [e.summary for e in registry] == ["gated", "diagonal", "selective"]
