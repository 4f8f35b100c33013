"""The kernel of a diagonal state space with held inputs, from its parameters in one pass."""
