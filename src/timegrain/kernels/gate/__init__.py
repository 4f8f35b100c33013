"""Sequences gated by others, sample by sample, as at the end of Mamba's block."""
