"""How many cases symbolic sources have unless told otherwise."""

N_TRAIN = 4000
N_VALIDATION = 1000
N_TEST = 1000
