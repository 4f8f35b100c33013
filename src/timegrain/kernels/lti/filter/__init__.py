"""A diagonal layer on short sequences from its parameters to its output, in one call."""
