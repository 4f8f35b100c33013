"""The curves of a picture, before they are painted."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError
from timegrain.data.symbolic.pathfinder.room import Point, Room, Stamp
from timegrain.data.symbolic.pathfinder.setting import Setting

# margins that curves keep from each other, on top of a thickness
CLEAR = 1.5
# turns tried before a curve has run into a dead end
_TURNS = 12
# places tried for each short curve
_PLACES = 8
# most sides that are taken back at a dead end, and dead ends after which a pair starts anew
_BACK, _DEAD_ENDS = 8, 50
# pairs in vain, after which no other is expected
_PATIENCE = 200


@dataclass(frozen=True, kw_only=True, eq=False)
class Picture:
    """Curves as rows of corners; a dash is in the middle of each side between two of them.

    Args:
        curves: `(corner, 2)` each, x from the left and y from the top in pixels; the long ones
            first.
        marks: Where the two discs are, `(2, 2)`: at the beginning of one long curve and at the end
            of the same or of the other.
        joined: Whether the marks are on one curve.
        margin: What a dash has free before and behind it.
    """

    curves: tuple[Float64[np.ndarray, "corner 2"], ...]
    marks: Float64[np.ndarray, "2 2"]
    joined: bool
    margin: float


def draw_label(random: np.random.Generator) -> bool:
    """Return whether the marks of a picture are on one curve: its first random number.

    Args:
        random: Of the picture.
    """
    return bool(random.random() < 0.5)


def draw_picture(random: np.random.Generator, setting: Setting) -> Picture:
    """Return two long curves that never meet, short ones between them, and two marks.

    The long curves begin `apart` from each other near the middle and grow in turns, one dash each;
    where one finds no way on it goes some dashes back. Whether the marks are on one curve, and
    which beginning is marked, is drawn apart from the curves, so that these alone tell nothing.

    Args:
        random: Of the picture.
        setting: Its measures.

    Raises:
        ConfigError: If there seems to be no room for the long curves.
    """
    joined = draw_label(random)
    marked = int(random.integers(0, 2))
    margin = setting.margins[int(random.integers(0, len(setting.margins)))]
    pair = _fitting_pair(random, setting, margin)
    curves = [curve.array() for curve in pair]
    curves += _short_curves(random, setting, margin, pair)
    other = marked if joined else 1 - marked
    marks = np.stack([_tip(curves[marked], margin), _tip(curves[other][::-1], margin)])
    return Picture(curves=tuple(curves), marks=marks, joined=joined, margin=margin)


class _Curve:
    """A curve that grows; its latest side is not yet in its own way."""

    def __init__(self, room: Room, start: Point, angle: float) -> None:
        self.room, self.corners, self.angles = room, [start], [angle]
        self.stamps: list[Stamp] = []

    def grow(self, random: np.random.Generator, step: float, stiffness: float) -> Stamp | None:
        """Add a side, and return what it takes from others; None if there is no way on."""
        here = self.corners[-1]
        for _ in range(_TURNS):
            angle = self.angles[-1] + _turn(random, stiffness)
            there = (here[0] + step * math.cos(angle), here[1] + step * math.sin(angle))
            if not self.room.free(here, there):
                continue
            if self.stamps:
                self.room.take(self.stamps[-1])
            self.stamps.append(self.room.stamp(here, there))
            self.corners.append(there)
            self.angles.append(angle)
            return self.stamps[-1]
        return None

    def shrink(self) -> Stamp:
        """Undo `grow`, and return what others get back."""
        self.corners.pop()
        self.angles.pop()
        stamp = self.stamps.pop()
        if self.stamps:
            self.room.give_back(self.stamps[-1])
        return stamp

    def array(self) -> Float64[np.ndarray, "corner 2"]:
        return np.array(self.corners)


def _turn(random: np.random.Generator, stiffness: float) -> float:
    widest = math.pi / (2 * stiffness)
    while True:
        turn = widest * (2 * random.random() - 1)
        if random.random() < math.cos(stiffness * turn) ** 2:
            return turn


def _fitting_pair(
    random: np.random.Generator, setting: Setting, margin: float
) -> tuple[_Curve, _Curve]:
    reach, edge = CLEAR * margin + setting.thickness, 1.0 + setting.thickness / 2
    empty = Room(setting.side, fine=setting.fine, distance=reach, edge=edge)
    for _ in range(_PATIENCE):
        pair = _two_curves(random, setting, margin, empty)
        if pair is not None and _marks_fit(pair, setting, margin):
            return pair
    raise ConfigError(
        "there is no room for two such curves",
        got=f"{setting.dashes} dashes each on {setting.side} x {setting.side} pixels",
        hint="fewer dashes",
    )


def _two_curves(
    random: np.random.Generator, setting: Setting, margin: float, empty: Room
) -> tuple[_Curve, _Curve] | None:
    far = min(2 * setting.apart, 0.45 * setting.side)
    start = tuple(float(v) for v in random.uniform(far, setting.side - far, 2))
    around = random.uniform(0, 2 * math.pi)
    second = (
        start[0] + setting.apart * math.cos(around),
        start[1] + setting.apart * math.sin(around),
    )
    curves = tuple(
        _Curve(empty.copy(), (x, y), random.uniform(0, 2 * math.pi)) for x, y in (start, second)
    )
    step = setting.dash + 2 * margin
    dead_ends = 0
    while min(len(curve.stamps) for curve in curves) < setting.dashes:
        curve, other = sorted(curves, key=lambda c: len(c.stamps))
        taken = curve.grow(random, step, setting.stiffness)
        if taken is not None:
            other.room.take(taken)
            continue
        dead_ends += 1
        if dead_ends == _DEAD_ENDS or not curve.stamps:
            return None
        for _ in range(int(random.integers(1, 1 + min(_BACK, len(curve.stamps))))):
            other.room.give_back(curve.shrink())
    return curves[0], curves[1]


def _marks_fit(pair: tuple[_Curve, _Curve], setting: Setting, margin: float) -> bool:
    """Whether any two ends that may be marked leave a pixel between their discs."""
    first = [_tip(curve.array(), margin) for curve in pair]
    last = [_tip(curve.array()[::-1], margin) for curve in pair]
    return all(np.hypot(*(a - b)) >= 2 * setting.mark + 1 for a in first for b in last)


def _tip(corners: Float64[np.ndarray, "corner 2"], margin: float) -> Float64[np.ndarray, "2"]:
    """Outer end of the first dash."""
    side = corners[1] - corners[0]
    return corners[0] + margin * side / np.hypot(*side)


def _short_curves(
    random: np.random.Generator, setting: Setting, margin: float, pair: tuple[_Curve, _Curve]
) -> list[Float64[np.ndarray, "corner 2"]]:
    room = pair[0].room.copy()
    for curve in pair:
        room.taken += curve.room.taken
        room.take(curve.stamps[-1])
    step = setting.dash + 2 * margin
    found: list[np.ndarray] = []
    for _ in range(_PLACES * setting.distractors):
        if len(found) == setting.distractors:
            break
        start = room.somewhere(random)
        if start is None:
            break
        curve = _Curve(room.copy(), start, random.uniform(0, 2 * math.pi))
        while len(curve.stamps) < setting.distractor_dashes:
            if curve.grow(random, step, setting.stiffness) is None:
                break
        else:
            for stamp in curve.stamps:
                room.take(stamp)
            found.append(curve.array())
    return found
