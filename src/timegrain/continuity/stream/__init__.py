"""Task continuity of streams: chunk by chunk, in any order, on any number of machines."""
