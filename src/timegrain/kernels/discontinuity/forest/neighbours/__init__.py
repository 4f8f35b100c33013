"""Sums over neighbouring samples that merge as the forest does."""
