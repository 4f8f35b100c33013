"""Pathfinder: the curves are drawn again without gaps, and flooded from one mark."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import ndimage

from timegrain.core.errors import ConfigError
from timegrain.data.generated import case_numbers, case_streams
from timegrain.data.symbolic.pathfinder import PATH_X, PATHFINDER, draw_picture, paint
from timegrain.data.symbolic.pathfinder.setting import SIDE_32, SIDE_128

FINE = 8


def pictures(name, setting, count):
    for random in case_streams(0, name, case_numbers("train", count)):
        yield draw_picture(random, setting)


def flooded(picture, setting):
    """Whether a flood from the first mark, along the curves alone, comes to the second."""
    n = FINE * setting.side
    lit = np.zeros((n, n), dtype=bool)
    width = FINE * max(setting.thickness, 1.0) / 2
    brush = np.argwhere(np.hypot(*np.mgrid[-6:7, -6:7]) <= width) - 6
    for curve in picture.curves:
        for a, b in pairwise(curve):
            t = np.linspace(0, 1, 200)[:, None]
            places = np.round(FINE * (a + t * (b - a))).astype(int)[:, ::-1]
            rows, columns = (places[:, None] + brush[None]).reshape(-1, 2).T
            lit[rows, columns] = True
    start, end = (tuple(round(FINE * v) for v in mark[::-1]) for mark in picture.marks)
    assert lit[start] and lit[end]
    pools, _ = ndimage.label(lit, structure=np.ones((3, 3)))  # corners touch, too
    return bool(pools[start] == pools[end])


@pytest.mark.parametrize(
    ("name", "setting", "count"), [("pathfinder", SIDE_32, 30), ("path-x", SIDE_128, 3)]
)
def test_a_flood_finds_the_label(name, setting, count):
    source = {"pathfinder": PATHFINDER, "path-x": PATH_X}[name]
    labels, _ = source.answers(case_numbers("train", count), seed=0, **source.settings)
    assert count < 10 or 0 < labels.sum() < count
    for picture, label in zip(pictures(name, setting, count), labels, strict=True):
        assert flooded(picture, setting) == picture.joined == bool(label)


@pytest.mark.slow
def test_floods_find_the_labels_of_many_pictures():
    for name, setting, count in (("pathfinder", SIDE_32, 300), ("path-x", SIDE_128, 40)):
        drawn = list(pictures(name, setting, count))
        assert [flooded(p, setting) for p in drawn] == [p.joined for p in drawn]


def test_a_flood_tells_a_wrong_label():
    picture = next(pictures("pathfinder", SIDE_32, 1))
    ends = [picture.curves[0][0], picture.curves[1][-1]]
    assert not flooded(replace(picture, marks=np.array(ends)), SIDE_32)
    ends[1] = picture.curves[0][-1]
    assert flooded(replace(picture, marks=np.array(ends)), SIDE_32)


def apart(a, b):
    """Least distance of places on two curves."""
    t = np.linspace(0, 1, 40)[:, None, None]
    first, second = ((c[:-1] + t * np.diff(c, axis=0)).reshape(-1, 2) for c in (a, b))
    return np.hypot(*(first[:, None] - second[None]).transpose(2, 0, 1)).min()


@pytest.mark.parametrize(
    ("name", "setting", "count"), [("pathfinder", SIDE_32, 10), ("path-x", SIDE_128, 3)]
)
def test_curves_keep_their_measures(name, setting, count):
    for picture in pictures(name, setting, count):
        long, short = picture.curves[:2], picture.curves[2:]
        assert all(len(curve) == setting.dashes + 1 for curve in long)
        assert all(len(curve) == setting.distractor_dashes + 1 for curve in short)
        assert len(short) <= setting.distractors
        assert picture.margin in setting.margins
        for k, curve in enumerate(picture.curves):
            sides = np.diff(curve, axis=0)
            assert np.allclose(np.hypot(*sides.T), setting.dash + 2 * picture.margin)
            angles = np.unwrap(np.arctan2(sides[:, 1], sides[:, 0]))
            assert np.abs(np.diff(angles)).max() <= np.pi / (2 * setting.stiffness) + 1e-9
            assert curve.min() >= 0.5 and curve.max() <= setting.side - 0.5
            for other in picture.curves[:k]:
                clear = 1.5 * picture.margin + setting.thickness - 1.21 / setting.fine
                assert apart(curve, other) > clear
        starts = picture.curves[0][0] - picture.curves[1][0]
        assert np.hypot(*starts) == pytest.approx(setting.apart)


def test_pixels_are_bright_on_dashes_and_marks_and_dark_elsewhere():
    for picture in pictures("pathfinder", SIDE_32, 4):
        image = paint(picture, SIDE_32)
        assert image.shape == (32, 32)
        assert (np.round(255 * image) == np.round(255 * image, 9)).all()
        x = np.arange(32) + 0.5
        places = np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 1, 2)
        near = np.full(len(places), np.inf)
        for curve in picture.curves:
            t = np.linspace(0.25, 0.75, 60)[:, None, None]
            dashes = (curve[:-1] + t * np.diff(curve, axis=0)).reshape(1, -1, 2)
            near = np.minimum(near, np.hypot(*(places - dashes).transpose(2, 0, 1)).min(axis=1))
        marks = np.hypot(*(places - picture.marks[None]).transpose(2, 0, 1)).min(axis=1)
        # places on a dash are 2/59 apart, so that a distance is found within 1/59
        wanted = np.maximum(np.clip(0.75 - near, 0, 1), np.clip(2.0 - marks, 0, 1))
        assert np.abs(image.ravel() - wanted).max() < 1 / 59 + 0.5 / 255


def test_half_of_the_labels_are_joined():
    labels, _ = PATHFINDER.answers(case_numbers("train", 4000), seed=0, **PATHFINDER.settings)
    assert abs(labels.mean() - 0.5) < 0.04  # five standard deviations


def test_no_room(monkeypatch):
    monkeypatch.setattr("timegrain.data.symbolic.pathfinder.picture._PATIENCE", 2)
    random = next(case_streams(0, "pathfinder", np.array([0])))
    with pytest.raises(ConfigError, match="no room"):
        draw_picture(random, replace(SIDE_32, dashes=200))
