"""The differential equations that state space layers step through, and their solutions."""
