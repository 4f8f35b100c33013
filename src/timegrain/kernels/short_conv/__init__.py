"""A causal filter of a few samples for each channel, as in Mamba's block."""
