"""Does the lead of the continuous layer grow with the continuity of the task?"""

from timegrain.advice.contrast import Contrast, case_variance, contrast
from timegrain.advice.evidence import CONTINUOUS, SELECTIVE, Evidence, seeds_text
from timegrain.advice.sentence import Sentence
from timegrain.training.run import TrainingRun

CLAIM = "law of alignment"


def alignment_sentence(evidence: Evidence) -> Sentence:
    """Return what the smoothest and the roughest compared task say of the law.

    The gap of a task is the skill of S4D minus that of S6 at full resolution; the law says that it
    is larger on the smoother task.

    Args:
        evidence: Trainings of both layers on at least two tasks of known continuity.
    """
    tasks = [t for t in evidence.compared_tasks() if t in evidence.continuity]
    if len(tasks) < 2 or evidence.continuity[tasks[0]] <= evidence.continuity[tasks[-1]]:
        text = (
            "Whether the law of alignment holds cannot be said: it takes S4D and S6 trained on two "
            "tasks of different, measured continuity."
        )
        return Sentence(claim=CLAIM, text=text, holds=None)
    smooth, rough = tasks[0], tasks[-1]
    cells = [evidence.full(t, layer) for t in (smooth, rough) for layer in (CONTINUOUS, SELECTIVE)]
    moved = contrast(
        [[run.skill for run in cell] for cell in cells],
        (1, -1, -1, 1),
        test_variance=_test_variance(cells[:2]) + _test_variance(cells[2:]),
    )
    means = [sum(run.skill for run in cell) / len(cell) for cell in cells]
    text = (
        f"{_opening(moved)}: the skill of S4D minus that of S6 is {means[2] - means[3]:+.2f} on "
        f"{rough} (continuity {evidence.continuity[rough]:.2f}) and {means[0] - means[1]:+.2f} on "
        f"{smooth} (continuity {evidence.continuity[smooth]:.2f}), a change of {moved} with "
        f"{seeds_text(moved.seeds)} on one pair of tasks."
    )
    return Sentence(claim=CLAIM, text=text, holds=moved.sign)


def _opening(moved: Contrast) -> str:
    if moved.sign is True:
        return "The law of alignment held here"
    if moved.sign is False:
        return "The law of alignment did not hold here"
    return "This run cannot say whether the law of alignment holds"


def _test_variance(cells: list[list[TrainingRun]]) -> float:
    """Return the variance of the gap in skill of one task due to its test part."""
    grouped = any(run.grouped for cell in cells for run in cell)
    return case_variance(cells, (1, -1), grouped=grouped) / (1 - cells[0][0].trivial_score) ** 2
