import pytest

from timegrain.core.errors import UnknownNameError
from timegrain.core.registry import Registry


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


def test_names_are_sorted_and_contained(registry):
    assert registry.names() == ["gru", "s4d", "s6"]
    assert "gru" in registry
    assert "lstm" not in registry
    assert [e.summary for e in registry] == ["gated", "diagonal", "selective"]
