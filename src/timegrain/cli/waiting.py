"""How torch's threads wait for one another."""

import os
from collections.abc import MutableMapping

_TURNS = "3000"


def wait_briefly(environment: MutableMapping[str, str] = os.environ) -> None:
    """Let threads that wait for another one free their core after about a tenth of a millisecond.

    GNU OpenMP lets them spin some ten milliseconds by default. Where other programs want the cores
    too, the thread that is waited for then cannot run: on two busy cores a training step took up to
    thirty times as long. On idle cores the shorter wait costs between nothing and a fifth.

    To be called before torch is loaded. What the user has set stays.

    Args:
        environment: Variables of the process.
    """
    if "OMP_WAIT_POLICY" not in environment:
        environment.setdefault("GOMP_SPINCOUNT", _TURNS)
