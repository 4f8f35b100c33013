"""Training on windows that do not fit into memory, through a chunk of time at a time.

`long_batch` reads a chunk of some sequences, as a stage of a plan sees it; `carrying` says what a
network needs to go on from a state; `pooling` pools over chunks and gives each its share of the
gradient; `gradient` is the rule that `train(..., tbptt=...)` follows, and `scoring` scores so.
"""
