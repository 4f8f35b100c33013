"""A learning rate that was searched for."""

from dataclasses import dataclass

from timegrain.training.wording import count


@dataclass(frozen=True, kw_only=True)
class LearningRate:
    """The best of some learning rates, and what it cost to find it.

    Args:
        lr: The rate whose network scored best on what was held out; the lower of equal ones.
        rates: The rates that were tried, ascending.
        scores: Of each; None where the training diverged.
        metric: `"accuracy"` or `"r2"`.
        epochs: Of each short training.
        n_train: Sequences of each.
        n_held_out: Sequences scored, which are of the training part too.
        seconds: The whole search took.
    """

    lr: float
    rates: tuple[float, ...]
    scores: tuple[float | None, ...]
    metric: str
    epochs: int
    n_train: int
    n_held_out: int
    seconds: float

    @property
    def edge(self) -> str:
        """`"lowest"` or `"highest"` where the best rate is an end of those tried, else `""`."""
        if self.lr == self.rates[0]:
            return "lowest"
        return "highest" if self.lr == self.rates[-1] else ""

    @property
    def sentence(self) -> str:
        """What was found, whether it lies at an end of what was tried, and what it cost.

        Example:
            >>> import textwrap
            >>> found = LearningRate(
            ...     lr=0.03, rates=(0.01, 0.03), scores=(0.5, 0.75), metric="accuracy", epochs=4,
            ...     n_train=24, n_held_out=8, seconds=2.0,
            ... )
            >>> print(textwrap.fill(found.sentence, 80))
            learning rate 0.03, the best of 0.01 and 0.03: accuracy 0.750 on 8 held-out
            training sequences after 4 epochs on 24; the search took 2.0 s. It is the
            highest that was tried: a higher one may be better (--lr 0.03,0.09,0.3 tries
            those).
        """
        tried = [f"{rate:g}" for rate in self.rates]
        among = " and ".join([", ".join(tried[:-1]), tried[-1]] if len(tried) > 1 else tried)
        best = self.scores[self.rates.index(self.lr)]
        held = count(self.n_held_out, "held-out training sequence")
        text = (
            f"learning rate {self.lr:g}, the best of {among}: {self.metric} {best:.3f} on {held} "
            f"after {count(self.epochs, 'epoch')} on {self.n_train}; the search took "
            f"{self.seconds:.1f} s."
        )
        lost = [rate for rate, s in zip(tried, self.scores, strict=True) if s is None]
        if lost:
            text += f" At {', '.join(lost)} the training diverged."
        if self.edge and len(self.rates) > 1:
            way = "lower" if self.edge == "lowest" else "higher"
            factors = (0.1, 0.3, 1) if self.edge == "lowest" else (1, 3, 10)
            further = ",".join(f"{self.lr * f:.2g}" for f in factors)
            text += (
                f" It is the {self.edge} that was tried: a {way} one may be better (--lr {further} "
                "tries those)."
            )
        return text
