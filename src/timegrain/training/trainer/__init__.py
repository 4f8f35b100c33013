"""The steps of a training: what they work with, in what state they are, and the record of them."""
