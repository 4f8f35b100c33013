"""Layers that map sequences to sequences in time, one file each."""
