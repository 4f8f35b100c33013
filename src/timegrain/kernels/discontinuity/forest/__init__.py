"""Sums of aligned stretches of a series, and the one binary tree they are put together in."""
