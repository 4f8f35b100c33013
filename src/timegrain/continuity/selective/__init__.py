"""What selective layers select, and which part of it their errors come from."""
