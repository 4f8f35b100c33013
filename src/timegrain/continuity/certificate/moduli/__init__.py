"""How much a signal changes within a step: declared, of a polyline, or estimated."""
