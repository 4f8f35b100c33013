"""Norms, orders of convergence and resampling statistics; imports only core."""
