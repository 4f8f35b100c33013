"""Do coarse stages first give more for the same training time?"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from timegrain.advice.contrast import Contrast, case_variance, contrast
from timegrain.advice.evidence import Evidence, seeds_text
from timegrain.advice.sentence import Sentence
from timegrain.training.run import TrainingRun

CLAIM = "coarse stages first"


@dataclass(frozen=True, kw_only=True)
class Race:
    """Staged and full trainings of one layer on one task, seed by seed.

    Args:
        pairs: `(staged, full)` of each seed.
    """

    pairs: tuple[tuple[TrainingRun, TrainingRun], ...]

    @property
    def layer(self) -> str:
        """Name of the layer, as people write it."""
        return self.pairs[0][0].layer.upper()

    @property
    def seconds(self) -> float:
        """Mean training time at which scores are compared."""
        return fmean(min(staged.seconds, full.seconds) for staged, full in self.pairs)

    def scores(self) -> list[tuple[float, float]]:
        """Return `(staged, full)` for each seed, when the shorter of the two trainings ended."""
        return [
            (_score_at(staged, seconds), _score_at(full, seconds))
            for staged, full in self.pairs
            for seconds in [min(staged.seconds, full.seconds)]
        ]

    def gains(self) -> list[float]:
        """Return the staged score minus the full one at equal training time, for each seed."""
        return [staged - full for staged, full in self.scores()]

    def case_variance(self) -> float:
        """Return the variance of the mean gain due to the finite test part."""
        grouped = any(run.grouped for pair in self.pairs for run in pair)
        return case_variance(tuple(zip(*self.pairs, strict=True)), (1, -1), grouped=grouped)


def staging_sentence(evidence: Evidence) -> Sentence:
    """Return what stages gave against full resolution, on the first task trained both ways.

    The claim is that stages score more at equal training time, for every layer.

    Args:
        evidence: Trainings with the same layer, task and seed, staged and full.
    """
    races = _races(evidence)
    if not races:
        text = (
            "Whether coarse stages first score more cannot be said: it takes a staged and a "
            "full-resolution training of the same network on the same task."
        )
        return Sentence(claim=CLAIM, text=text, holds=None)
    gains = _gains(races)
    signs = [gain.sign for gain in gains]
    holds = None if None in signs or len(set(signs)) > 1 else signs[0]
    first = races[0].pairs[0][0]
    strides = ", ".join(str(s.stride) for s in first.stages)
    details = " and ".join(_race_text(r, g) for r, g in zip(races, gains, strict=True))
    text = (
        f"{_opening(races, signs)} on {first.task}: at equal training time, stages of stride "
        f"{strides} score {details}; {first.metric}, mean of "
        f"{seeds_text(min(len(r.pairs) for r in races))}."
    )
    return Sentence(claim=CLAIM, text=text, holds=holds)


def _gains(races: Sequence[Race]) -> list[Contrast]:
    """Return the mean gain of each race; all races together say how far seeds scatter."""
    groups = [race.gains() for race in races]
    return [
        contrast(
            groups,
            [1.0 if other is race else 0.0 for other in races],
            test_variance=race.case_variance(),
        )
        for race in races
    ]


def _races(evidence: Evidence) -> list[Race]:
    """Return the races on the first task that has one; the first plan where there are several."""
    tasks = evidence.compared_tasks() or list(dict.fromkeys(r.task for r in evidence.runs))
    for task in tasks:
        here = [r for r in evidence.runs if r.task == task]
        races = []
        for layer in dict.fromkeys(r.layer for r in here):
            full = {r.seed: r for r in evidence.full(task, layer)}
            staged = [r for r in here if r.layer == layer and r.plan != "full" and r.seed in full]
            pairs = [(r, full[r.seed]) for r in staged if r.plan == staged[0].plan]
            if pairs:
                races.append(Race(pairs=tuple(pairs)))
        if races:
            return races
    return []


def _score_at(run: TrainingRun, seconds: float) -> float:
    """Return the score by then; before the end of its first epoch, that of the trivial answer."""
    score = run.score_at(seconds)
    return run.trivial_score if score is None else score


def _opening(races: Sequence[Race], signs: Sequence[bool | None]) -> str:
    if all(sign is True for sign in signs):
        return "Coarse stages first scored more"
    if all(sign is False for sign in signs):
        return "Coarse stages first scored less"
    if all(sign is None for sign in signs):
        return "This run cannot say whether coarse stages first score more"
    words = {True: "scored more for", False: "scored less for", None: "cannot be judged for"}
    groups = {
        sign: [r.layer for r, s in zip(races, signs, strict=True) if s is sign] for sign in words
    }
    parts = [f"{words[sign]} {' and '.join(layers)}" for sign, layers in groups.items() if layers]
    return f"Coarse stages first {' and '.join(parts)}"


def _race_text(race: Race, gain: Contrast) -> str:
    staged, full = (fmean(column) for column in zip(*race.scores(), strict=True))
    return f"{staged:.2f} against {full:.2f} for {race.layer} ({gain} after {race.seconds:.1f} s)"
