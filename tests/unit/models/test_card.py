"""Facts about layers are those of the layers."""

import pytest

from timegrain.kernels.dispatch import explain, recorded
from timegrain.models import build_layer, models
from timegrain.models.card import discretizations, layer_card


@pytest.mark.parametrize("name", models.names())
def test_a_card_says_what_the_layer_is(name):
    card, layer = layer_card(name, d_model=8), build_layer(name, d_model=8)
    assert card.parameters == sum(p.numel() for p in layer.parameters())
    assert (card.takes_tau, card.steps) == (layer.takes_tau, layer.steps)
    assert card.orders[0].order == layer.order
    assert all(row.reason for row in card.backends)


def test_discretizations_are_what_the_constructor_takes():
    assert discretizations("gru") == []
    assert discretizations("s6") == ["euler_b", "zoh"]
    orders = {row.discretization: row.order for row in layer_card("s5", d_model=8).orders}
    assert orders["zoh"] == 1
    assert orders["foh"] == 2


def test_the_kernels_of_a_card_are_those_that_ran():
    assert "selective_scan" in {row.kernel for row in layer_card("s6", d_model=8).backends}
    assert layer_card("gru", d_model=8).backends == ()


def test_a_card_names_the_backends_of_inputs_that_are_large_enough_for_all():
    ran = {row.kernel: (row.backend, row.reason) for row in layer_card("mamba", d_model=8).backends}
    assert {backend for backend, _ in ran.values()} == {"numba"}
    assert "32,768 numbers or more" in ran["silu_gate"][1]


def test_recording_forgets_nothing_from_before():
    layer_card("s6", d_model=8)
    with recorded() as choices:
        layer_card("s4d", d_model=8)
    assert "selective_scan" not in choices
    assert set(choices) <= set(explain())
    assert "selective_scan" in explain()
