"""The checks of `check_source`, one a file."""
