"""Causal convolution of short sequences as sums, a vector of channels at a time."""
