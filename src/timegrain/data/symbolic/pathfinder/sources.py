"""Pathfinder at 32 x 32 pixels, and Path-X, which is Pathfinder at 128 x 128."""

import functools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from jaxtyping import Int64

from timegrain.data.generated.cases import Cases
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.option import whole
from timegrain.data.generated.streams import case_streams
from timegrain.data.symbolic.pathfinder.painting import paint
from timegrain.data.symbolic.pathfinder.picture import draw_label, draw_picture
from timegrain.data.symbolic.pathfinder.setting import SIDE_32, SIDE_128, Setting

CLASSES = ("apart", "joined")


def pathfinder(
    index: Int64[np.ndarray, " case"],
    *,
    seed: int,
    dashes: int,
    distractors: int,
    name: str = "pathfinder",
    setting: Setting = SIDE_32,
) -> Cases:
    """Return pictures row by row, a pixel a sample; the answer is whether two marks are joined.

    Args:
        index: Numbers of the cases.
        seed: Of the draw.
        dashes: Of each of the two long curves.
        distractors: Short curves, fewer where no more fit.
        name: Of the source.
        setting: The measures of a picture.

    Raises:
        ConfigError: If there seems to be no room for the long curves.

    Note:
        The measures are the published ones, the drawing is not: corners here have real
        coordinates, curves keep 1.5 margins and a thickness from each other (less a pixel or so),
        and at 32 x 32 pixels about three short curves fit. Grey values of single pixels differ.
        The published set of 14 dashes is the hardest of three; the others have 6 and 9. It has
        200,000 pictures, four in five to train on.

    Source:
        Linsley et al., Learning long-range spatial dependencies with horizontal gated recurrent
        units (NeurIPS 2018), section 3; Tay et al., Long Range Arena (ICLR 2021), sections 2.2.5
        and 2.2.6, and the measures its data module states.

    Example:
        >>> pathfinder(np.array([0]), seed=0, dashes=6, distractors=2).sequences.shape
        (1, 1024, 1)
    """
    wanted = replace(setting, dashes=dashes, distractors=distractors)
    x = np.zeros((len(index), setting.side**2, 1))
    labels = np.zeros(len(index), dtype=np.int64)
    for i, random in enumerate(case_streams(seed, name, index)):
        picture = draw_picture(random, wanted)
        x[i, :, 0] = paint(picture, wanted).ravel()
        labels[i] = picture.joined
    return Cases(sequences=x, labels=labels)


def _labels(
    index: Int64[np.ndarray, " case"], *, seed: int, dashes: int, distractors: int, name: str
) -> tuple[Int64[np.ndarray, " case"], None]:
    drawn = [draw_label(random) for random in case_streams(seed, name, index)]
    return np.array(drawn, dtype=np.int64), None


def _generator(name: str, setting: Setting, sizes: tuple[int, int, int], extra: str) -> Generator:
    make: Callable[..., Cases] = functools.partial(pathfinder, name=name, setting=setting)
    return Generator(
        name=name,
        make=make,
        answers=functools.partial(_labels, name=name),
        source="after D. Linsley et al., Learning long-range spatial dependencies with horizontal "
        f"gated recurrent units, NeurIPS (2018), {extra} Y. Tay et al., Long Range Arena, ICLR "
        "(2021); generated here",
        values="brightness of a pixel, 0 to 1",
        label="whether two marks are on one curve, 2 classes",
        options={
            "dashes": whole(14, 2, 20, "the number of dashes of each long curve"),
            "distractors": whole(setting.distractors, 0, 30, "the most short curves"),
        },
        n_train=sizes[0],
        n_validation=sizes[1],
        n_test=sizes[2],
        kind="real",
        unit="pixel",
        target="class",
        class_names=CLASSES,
        channel_names=("brightness",),
    ).turned()


# a picture takes some ten to thirty milliseconds
PATHFINDER = _generator("pathfinder", SIDE_32, (2000, 500, 500), "with the measures of")
PATH_X = _generator("path-x", SIDE_128, (400, 200, 200), "at 128 x 128 pixels as in Path-X of")
