"""The measures of a Pathfinder picture."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What all pictures of a set have in common; lengths in pixels.

    Args:
        side: Pixels of a side.
        fine: Cells on the side of a pixel, of which is kept whether a curve is near.
        dash: Length of a dash.
        margins: What a dash has free before and behind it, drawn for each picture; the gap between
            two dashes is twice that.
        thickness: Of a dash.
        brightness: Of a dash; the marks have 1.
        mark: Radius of the discs that mark two ends.
        apart: How far apart the two long curves begin.
        stiffness: The density of a turn by `a` is that of `cos^2(stiffness * a)` up to its first
            zero.
        dashes: Of each long curve.
        distractors: Short curves; fewer where no more fit.
        distractor_dashes: Of each short curve.
    """

    side: int
    fine: int
    dash: float
    margins: tuple[float, ...]
    thickness: float
    brightness: float
    mark: float
    apart: float
    stiffness: float
    dashes: int
    distractors: int
    distractor_dashes: int


SIDE_32 = Setting(
    side=32,
    fine=2,
    dash=2.0,
    margins=(1.0,),
    thickness=0.5,
    brightness=1.0,
    mark=1.5,
    apart=7.0,
    stiffness=1.0,
    dashes=14,
    distractors=5,
    distractor_dashes=4,
)
SIDE_128 = Setting(
    side=128,
    fine=1,
    dash=5.0,
    margins=(2.0, 3.0),
    thickness=1.5,
    brightness=0.9,
    mark=3.0,
    apart=20.0,
    stiffness=1.8,
    dashes=14,
    distractors=8,
    distractor_dashes=4,
)
