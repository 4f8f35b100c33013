"""Who scores above the trivial score, as it was measured."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Learnable:
    """Who was measured to learn a task from few cases, in minutes; None where nobody measured it.

    That is, whose score has a 95 % interval that lies above the trivial score. Both learn from
    about half a million samples at most (512 cases of 1,024, up to 4,096 where they are short): a
    task that they fail may well be learnt from more, or by a larger network trained for longer.

    Args:
        baseline: 2,000 random convolutions with a ridge.
        model: Two blocks of S4D with 32 channels, trained once on 3 million samples at rate 0.01.

    Source:
        `benchmarks/tasks.py` measures it and writes it into the cards; docs/tasks.md shows scores.

    Example:
        >>> from timegrain.data.cards import task_card
        >>> task_card("ou-inference").problem.learnable
        Learnable(baseline=True, model=True)
    """

    baseline: bool | None = None
    model: bool | None = None
