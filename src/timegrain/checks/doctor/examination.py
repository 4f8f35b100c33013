"""`examine`: everything `timegrain doctor` says."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from timegrain.checks.doctor.fact import BROKEN, NOTE, Fact


@dataclass(frozen=True, kw_only=True)
class Examination:
    """What was found about an installation.

    Args:
        works: Whether nothing is broken.
        verdict: That in a sentence.
        facts: What was found, in groups.
    """

    works: bool
    verdict: str
    facts: tuple[Fact, ...]


def examine(*, progress: Callable[[str], None] | None = None) -> Examination:
    """Look at versions, machine, backends and caches, and test kernels, layers and a training.

    Takes about ten seconds, longer when kernels are compiled for the first time.

    Args:
        progress: Called with a line about each thing as it is found.
    """
    from timegrain.checks.doctor.backends import backends
    from timegrain.checks.doctor.machine import machine
    from timegrain.checks.doctor.self_test import self_test
    from timegrain.checks.doctor.versions import versions

    facts = tuple(_told((versions, machine, backends, self_test), progress))
    broken = [f"{fact.group} {fact.name}" for fact in facts if fact.verdict == BROKEN]
    notes = sum(fact.verdict == NOTE for fact in facts)
    said = f"it works, with {notes} notes" if notes else "it works"
    if notes == 1:
        said = "it works, with 1 note"
    verdict = f"broken: {', '.join(broken)}" if broken else said
    return Examination(works=not broken, verdict=verdict, facts=facts)


def _told(
    parts: tuple[Callable[[], Iterable[Fact]], ...], progress: Callable[[str], None] | None
) -> Iterator[Fact]:
    for part in parts:
        for fact in part():
            if progress is not None:
                progress(f"{fact.group} {fact.name}: {fact.verdict}")
            yield fact
