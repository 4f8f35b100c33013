"""Folders in the layout in which a set is published, one file a layout; see `layouts`."""
