"""Where the layers are published."""

from timegrain.core.references import REFERENCES
from timegrain.models import models
from timegrain.models.sources import layer_sources


def test_every_registered_layer_has_a_source():
    for layer in models:
        assert layer_sources(layer.name)
        assert set(layer_sources(layer.name)) <= set(REFERENCES)
