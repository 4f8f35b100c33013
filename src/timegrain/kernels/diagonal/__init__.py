"""The scan of a diagonal, complex state space whose step may vary from sample to sample."""
