"""Arithmetic on whole vectors of numbers, inlined into compiled loops: what they are made from."""
