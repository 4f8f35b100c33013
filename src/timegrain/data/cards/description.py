"""The card of a shipped set: what a user reads before loading it."""

from dataclasses import dataclass

from timegrain.core.errors import DataError
from timegrain.data.cards.checks import check_count, check_text, check_word
from timegrain.data.cards.literature import LiteratureScore
from timegrain.data.cards.problem import Problem
from timegrain.data.cards.size import Size

ORIGINS = ("package", "generated", "folder", "machine")


@dataclass(frozen=True, kw_only=True)
class TaskCard:
    """What a set is, where it comes from, what may be done with it, and what is known about it.

    Args:
        name: What people type.
        version: 1, and one more whenever a case, a label or a split of it changes; results carry
            it, and those of two versions are not to be compared.
        what: One or two sentences.
        source: Citation.
        licence: What is known about the terms of use.
        origin: Where the numbers are: `"package"`, in an installed distribution; `"generated"`,
            made when asked for; `"folder"`, on the user's disk; `"machine"`, made by another
            program, or read from Python itself.
        package: The distribution; empty for another origin.
        size: Counts; None where they are those of the user's folder.
        problem: What is to be predicted; None where a set is only measured.
        literature: Published scores, with their sources.
        notes: Sentences a reader must see.

    Raises:
        DataError: If a field is outside its domain.

    Example:
        >>> from timegrain.data.cards import task_card
        >>> card = task_card("GunPoint")
        >>> card.size.longest, card.problem.classes, card.version
        (150, 2, 1)
    """

    name: str
    version: int
    what: str
    source: str
    licence: str
    origin: str
    package: str = ""
    size: Size | None = None
    problem: Problem | None = None
    literature: tuple[LiteratureScore, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        where = f"the card {self.name!r}"
        check_text(where, name=self.name, what=self.what, source=self.source, licence=self.licence)
        check_count(where, least=1, version=self.version)
        check_word(where, "origin", self.origin, ORIGINS)
        if bool(self.package) != (self.origin == "package"):
            raise DataError(
                f"{where} names a package where none is, or none where one is",
                got=f"origin={self.origin!r}, package={self.package!r}",
            )
        metrics = {score.metric for score in self.literature}
        if metrics and (self.problem is None or metrics != {self.problem.metric}):
            raise DataError(f"{where} has scores in another metric", got=sorted(metrics))
