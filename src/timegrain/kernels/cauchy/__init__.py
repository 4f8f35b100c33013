"""Sums of simple fractions over conjugate pairs of poles, the core of S4's kernel."""
