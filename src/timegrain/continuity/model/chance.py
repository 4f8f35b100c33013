"""Random numbers that a run draws."""

from collections.abc import Callable
from typing import Any

_DRAWS = ("bernoulli", "dropout", "rand", "normal", "uniform", "multinomial", "exponential")


def chance_in(run: Callable[[], Any]) -> str:
    """Return the names of torch's operations in a run that draw random numbers, with commas.

    Args:
        run: Anything; what numpy draws is not seen.

    Example:
        >>> import torch
        >>> chance_in(lambda: torch.nn.functional.dropout(torch.ones(3), 0.5))
        'bernoulli_'
        >>> chance_in(lambda: torch.ones(3) + 1)
        ''
    """
    from timegrain.continuity.model.tape import Tape

    with Tape() as tape:
        run()
    names = [operation.name.removeprefix("aten::") for operation in tape.operations]
    return ", ".join(dict.fromkeys(n for n in names if n.startswith(_DRAWS)))
