"""Causal convolution through the frequency domain, a vector of channels at a time."""
