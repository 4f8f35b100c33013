"""Training on windows that do not fit into memory: back-propagation through a part at a time."""
