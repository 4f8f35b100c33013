"""What a step over which inputs are held does to a shared state space, from its parameters."""
