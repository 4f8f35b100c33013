"""Diagonal plus low rank state spaces: their kernel, and their scan with steps that may vary."""
