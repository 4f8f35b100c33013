"""Whether a model converges under temporal refinement, and what it still remembers."""
