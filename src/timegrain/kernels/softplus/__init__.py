"""Time scales from the numbers that an input selects: softplus, times the step that was told."""
