"""What `benchmarks/run.py` measures, one file a subject."""
