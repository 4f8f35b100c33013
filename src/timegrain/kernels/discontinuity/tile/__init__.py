"""The sums of one tile of one channel, over all strides while it is in cache."""
