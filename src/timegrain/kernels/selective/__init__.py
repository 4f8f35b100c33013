"""The scan of a diagonal state space whose step, input and output weights follow the input."""
