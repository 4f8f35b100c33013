"""How continuous a dataset is: profile, refinement law, horizon, intervals."""
