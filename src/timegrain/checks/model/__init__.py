"""The contract that layers keep, as checks that run on anyone's model."""
