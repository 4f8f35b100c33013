"""Datasets that ship inside installed packages, one file a package; see the catalogue."""
