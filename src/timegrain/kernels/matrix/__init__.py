"""The scan of layers whose state is a matrix per head: linear attention, SSD and delta rules."""
