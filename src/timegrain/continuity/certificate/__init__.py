"""Proved bounds of the error that a layer makes because it sees samples."""
