"""A gated linear unit added to what it is a branch of."""
