"""A diagonal state space that all channels share: projections around the linear recurrence."""
