"""A stored network trained on, at the rate of its training or at another."""
