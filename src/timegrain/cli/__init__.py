"""The `timegrain` command: one file per command, no logic."""
