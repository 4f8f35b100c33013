"""Strides of powers of two over many stretches of samples at once, one in each lane."""
