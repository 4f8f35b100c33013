"""Where in a model continuity is lost: the ladder, with a hook on every submodule."""
