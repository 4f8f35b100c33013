"""Three sentences made from the numbers of a study, whichever way they came out."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from timegrain.advice.alignment import alignment_sentence
from timegrain.advice.evidence import CONTINUOUS, SELECTIVE, Evidence
from timegrain.advice.rates import rates_sentence
from timegrain.advice.sentence import Sentence
from timegrain.advice.staging import staging_sentence
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.core.result import Result

MARGIN_NOTE = (
    "After ± stands the half width of a 95 % interval from the spread between seeds and the finite "
    "test part; a claim is called true or false only where the difference exceeds it."
)
LABEL_NOTE = (
    "That data are continuous permits no subsampling by itself: what a stride costs has to be "
    "measured with the label."
)


@dataclass(frozen=True, kw_only=True, repr=False)
class Verdict(Result):
    """What a study says of three claims.

    Args:
        sentences: On the law of alignment, on rate transfer, and on coarse stages first.
    """

    kind: ClassVar[str] = "verdict"

    sentences: tuple[Sentence, ...]

    def rows(self) -> list[dict[str, object]]:
        """Return one row a sentence."""
        return [{"claim": s.claim, "holds": s.holds, "text": s.text} for s in self.sentences]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the sentences, each beside its claim."""
        return [(s.claim, s.text) for s in self.sentences]


def verdict(results: Iterable[Result], *, name: str = "first verdict") -> Verdict:
    """Return three sentences about what the results say, or that they cannot say it.

    Args:
        results: Task continuities, trainings, transfer curves and baseline scores, in any order;
            others are left aside.
        name: What the verdict is about.

    Example:
        >>> [sentence.holds for sentence in verdict([]).sentences]
        [None, None, None]
    """
    evidence = Evidence.of(results)
    return Verdict(
        name=name,
        outcome=Outcome.MEASURED,
        provenance=Provenance.collect(),
        notes=(MARGIN_NOTE, LABEL_NOTE, *_baseline_notes(evidence), *_floor_notes(evidence)),
        sentences=(
            alignment_sentence(evidence),
            rates_sentence(evidence),
            staging_sentence(evidence),
        ),
    )


def _baseline_notes(evidence: Evidence) -> list[str]:
    """Return a note for each task on which no network is above the baseline."""
    notes = []
    for score in evidence.baselines:
        reached = [run for run in evidence.runs if run.task == score.task]
        best = max(reached, key=lambda run: run.score, default=None)
        if best is not None and best.score <= score.score:
            notes.append(
                f"On {score.task} random convolutions and a ridge score {score.score:.2f} in "
                f"{score.seconds:.1f} s; no network here is above them (best: "
                f"{best.layer.upper()}, {best.score:.2f})."
            )
    return notes


def _floor_notes(evidence: Evidence) -> list[str]:
    """Return a note that names compared networks not above the trivial answer, if any."""
    low = [
        f"{layer.upper()} on {task}"
        for task in evidence.compared_tasks()
        for layer in (CONTINUOUS, SELECTIVE)
        for runs in [evidence.full(task, layer)]
        if any(run.low is not None and run.low <= run.trivial_score for run in runs)
    ]
    if not low:
        return []
    return [
        f"Not clearly above the trivial answer in every seed: {', '.join(low)}; that limits how "
        "large a gap between layers can be seen."
    ]
