"""Linear time-invariant layers: the kernel of a diagonal state space, and causal convolution."""
