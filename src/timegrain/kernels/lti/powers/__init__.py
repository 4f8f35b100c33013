"""Sums of powers of many modes, and their gradients: the kernel of a diagonal state space."""
