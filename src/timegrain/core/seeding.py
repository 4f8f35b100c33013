"""The generators that everybody's code draws from when it is given none."""

import contextlib
import random
from collections.abc import Iterator

import numpy as np


@contextlib.contextmanager
def global_seed(seed: int | None) -> Iterator[None]:
    """Seed the global generators of torch (on the CPU), numpy and random for a block.

    Code that somebody else wrote draws its weights from these. They are restored afterwards.

    Args:
        seed: 0 to 2**32 - 1; None leaves the generators alone.

    Example:
        >>> with global_seed(3):
        ...     first = random.random()
        >>> with global_seed(3):
        ...     print(random.random() == first)
        True
    """
    if seed is None:
        yield
        return
    import torch

    ours, theirs = random.getstate(), np.random.get_state()  # noqa: NPY002
    with torch.random.fork_rng(devices=[]):
        try:
            # torch.manual_seed would also reseed every accelerator, which the fork does not restore
            torch.default_generator.manual_seed(seed)
            np.random.seed(seed)  # noqa: NPY002
            random.seed(seed)
            yield
        finally:
            random.setstate(ours)
            np.random.set_state(theirs)  # noqa: NPY002
