"""Processor seconds of training, which other work on the machine does not lengthen."""

import time


class Clock:
    """What a network spends in training mode: from its last `train()` to the next `eval()`.

    A unit has one thread, so its processor seconds are its wall-clock seconds on a quiet machine.
    Compiling ahead of the first epoch and scoring between epochs are not counted.
    """

    def __init__(self, model):
        self.processor = self.wall = 0.0
        self._since, self._switch = None, model.train
        model.train = self

    def __call__(self, mode=True):
        now = time.process_time(), time.perf_counter()
        if not mode and self._since is not None:
            self.processor += now[0] - self._since[0]
            self.wall += now[1] - self._since[1]
        self._since = now if mode else None
        return self._switch(mode)
