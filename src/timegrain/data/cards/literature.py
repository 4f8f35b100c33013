"""A score that somebody published."""

from dataclasses import dataclass

from timegrain.data.cards.checks import check_score, check_text, check_word


@dataclass(frozen=True, kw_only=True)
class LiteratureScore:
    """What a model scored in a publication.

    Args:
        model: The model, as its authors call it.
        metric: `"accuracy"` or `"r2"`.
        score: At most 1: accuracies are shares, not percentages.
        source: Authors, title, year, and the table or file it stands in.
        on: What it was scored on, in words: the very cases of the card, or cases made alike.

    Raises:
        DataError: If a field is empty or outside its domain.

    Example:
        >>> LiteratureScore(
        ...     model="ROCKET", metric="accuracy", score=1.0, source="a table", on="the test part"
        ... ).score
        1.0
    """

    model: str
    metric: str
    score: float
    source: str
    on: str

    def __post_init__(self) -> None:
        check_text("literature", model=self.model, source=self.source, on=self.on)
        check_word("literature", "metric", self.metric, ("accuracy", "r2"))
        check_score("literature", "score", self.metric, self.score)
