"""The least and the largest sample."""
