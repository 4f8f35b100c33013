"""A stored network at slower rates: what each costs, and the cheapest that is good enough."""
