"""Predictions of every case by a probe that has not seen it, at one stride."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.retention.thinned import Series
from timegrain.data.split import Fold
from timegrain.models.baseline.convolutions import draw_convolutions
from timegrain.models.baseline.gram_folds import GramFolds
from timegrain.models.baseline.gram_ridge import standardised
from timegrain.stats.magnitude import power_of_two


def probe_gram(series: Series, *, n_features: int, seed: int) -> Float64[np.ndarray, "case case"]:
    """Return the inner products of the cases' random-convolution features.

    Dilations are drawn for the median length; features are standardised with all cases, which
    uses no label.

    Args:
        series: Scaled cases at one stride.
        n_features: Twice the number of kernels.
        seed: Of the kernels, the same at every stride.
    """
    kernels = draw_convolutions(
        n_features // 2,
        length=int(np.median([len(s) for s in series])),
        channels=series[0].shape[1],
        seed=seed,
    )
    features = standardised(kernels.features(series))
    return features @ features.T


def out_of_fold(
    gram: Float64[np.ndarray, "case case"],
    y: np.ndarray,
    folds: Sequence[Fold],
    n_classes: int | None,
) -> Float64[np.ndarray, "repeat case output"]:
    """Return what ridges that have not seen a case predict for it, once a repeat.

    Args:
        gram: From `probe_gram`.
        y: Numbers of classes, or values, `(case,)` or `(case, output)`.
        folds: Every case is tested once a repeat.
        n_classes: None for values.

    Returns:
        One value a class, or the predicted values.
    """
    if n_classes is None:
        unit = power_of_two(y)
        near = y / unit
        center, scale = near.mean(axis=0), near.std(axis=0)
        targets = ((near - center) / scale).reshape(len(y), -1)
    else:
        targets = np.where(y[:, None] == np.arange(n_classes), 1.0, -1.0)
    out = np.full((max(f.repeat for f in folds) + 1, *targets.shape), np.nan)
    ridges = GramFolds(gram, targets)
    for fold in folds:
        out[fold.repeat, fold.test] = ridges.predict(fold.train, fold.test)
    return (out * scale + center) * unit if n_classes is None else out
