"""Plans of training on every k-th sample first, and on all of them in the end."""
