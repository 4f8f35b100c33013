"""The baseline of every comparison: random convolutions and a ridge."""

from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError, DataError, LayoutError, ModelError
from timegrain.models.baseline.convolutions import Convolutions, draw_convolutions
from timegrain.models.baseline.ridge import Ridge, fit_ridge
from timegrain.models.options import one_of, positive_int, seed_number

Cases = np.ndarray | Sequence[np.ndarray]
TARGETS = ("class", "value")


class RidgeBaseline:
    """2,000 random-convolution features and a ridge; seconds to fit, hard to beat on little data.

    Dilations are drawn for the median training length, so a subsampled task gets kernels of its
    own. Channels are centred and scaled with the training part.

    Args:
        target: `"class"` (one column of -1 and 1 per class, the largest wins) or `"value"`.
        n_features: Twice the number of kernels; even.
        seed: Draws the kernels; equal seeds give equal numbers.

    Raises:
        ConfigError: If an option is outside its domain.

    Source:
        Dempster, Petitjean, Webb, ROCKET (Data Mining and Knowledge Discovery 2020); Golub, Heath,
        Wahba (Technometrics 1979) for the penalty.

    Example:
        >>> random = np.random.default_rng(0)
        >>> y = np.repeat([0, 1], 20)
        >>> phase = random.uniform(0, 6, (40, 1))
        >>> x = np.sin(np.arange(60) * (0.2 + 0.3 * y[:, None]) + phase)[..., None]
        >>> RidgeBaseline(n_features=40).fit(x[::2], y[::2]).score(x[1::2], y[1::2])
        1.0
    """

    def __init__(self, *, target: str = "class", n_features: int = 2000, seed: int = 0) -> None:
        self.target = one_of("target", target, TARGETS)
        self.n_features = positive_int("n_features", n_features)
        if n_features % 2:
            raise ConfigError("a kernel gives two features", got=n_features, expected="even")
        self.seed = seed_number(seed)
        self.classes: np.ndarray | None = None
        self._kernels: Convolutions | None = None
        self._ridge: Ridge | None = None
        self._output_shape: tuple[int, ...] = ()
        self._center = self._scale = np.ones(0)

    def fit(self, x: Cases, y: np.ndarray, lengths: np.ndarray | None = None) -> "RidgeBaseline":
        """Draw the kernels, compute features, fit the ridge; return self.

        Args:
            x: `(batch, time, channel)`, or a list of `(time, channel)` arrays.
            y: Labels `(batch,)` of any kind, or values `(batch,)` or `(batch, output)`.
            lengths: Valid samples of each row of `x`, `(batch,)`; what lies beyond is not read.

        Raises:
            LayoutError: If shapes do not fit.
            DataError: If a valid sample or a value is not real and finite, or all labels are equal.
        """
        series = _series(x, lengths)
        targets = self._targets(np.asarray(y), len(series))
        stacked = np.concatenate(series)
        self._center, scale = stacked.mean(0), stacked.std(0)
        self._scale = np.where(scale > 8 * np.finfo(float).eps * np.abs(stacked).max(0), scale, 1.0)
        self._kernels = draw_convolutions(
            self.n_features // 2,
            length=int(np.median([len(s) for s in series])),
            channels=stacked.shape[1],
            seed=self.seed,
        )
        self._ridge = fit_ridge(self._features(series, self._kernels), targets)
        return self

    def predict(self, x: Cases, lengths: np.ndarray | None = None) -> np.ndarray:
        """Return labels `(batch,)`, or values shaped as in `fit`.

        Raises:
            ModelError: If `fit` was not called.
            LayoutError: If shapes do not fit, or the channels are not those of `fit`.
        """
        if self._kernels is None or self._ridge is None:
            raise ModelError("the baseline has not seen data", hint="fit(x, y) first")
        out = self._ridge(self._features(_series(x, lengths), self._kernels))
        if self.classes is None:
            return out.reshape(len(out), *self._output_shape)
        return self.classes[out.argmax(1)]

    def score(self, x: Cases, y: np.ndarray, lengths: np.ndarray | None = None) -> float:
        """Return the accuracy, or R^2 pooled over outputs.

        R^2 is 1 minus squared error over squared distance from the mean of the `y` given here.

        Raises:
            LayoutError: If `y` has not the shape of the prediction.
            DataError: If values to score do not vary, since R^2 then means nothing.
        """
        predicted, y = self.predict(x, lengths), np.asarray(y)
        if y.shape != predicted.shape:
            raise LayoutError("y does not fit x", got=y.shape, expected=predicted.shape)
        if self.target == "class":
            return float((predicted == y).mean())
        spread = float(((y - y.mean(0)) ** 2).sum())
        if not spread > 0:
            raise DataError("values that do not vary have no R^2", got=f"{len(y)} equal values")
        return 1.0 - float(((y - predicted) ** 2).sum()) / spread

    def _features(
        self, series: list[np.ndarray], kernels: Convolutions
    ) -> Float64[np.ndarray, "case feature"]:
        channels = len(self._center)
        if series[0].shape[1] != channels:
            raise LayoutError(
                "the baseline was fitted on other channels",
                got=series[0].shape[1],
                expected=channels,
            )
        return kernels.features([(s - self._center) / self._scale for s in series])

    def _targets(self, y: np.ndarray, cases: int) -> Float64[np.ndarray, "case output"]:
        if len(y) != cases or y.ndim not in ((1,) if self.target == "class" else (1, 2)):
            raise LayoutError("y does not fit x", got=f"shape {y.shape}", expected=f"{cases} rows")
        if self.target == "value":
            if not np.isfinite(_real(y, "y")).all():
                raise DataError("y has values that are not finite", hint="dropping those cases")
            self._output_shape = y.shape[1:]
            return _real(y, "y").reshape(cases, -1)
        self.classes = np.unique(y)
        if len(self.classes) < 2:
            raise DataError("one class cannot be told from another", got=f"only {y[0]!r}")
        return np.where(y[:, None] == self.classes, 1.0, -1.0)


def _series(x: Cases, lengths: np.ndarray | None) -> list[Float64[np.ndarray, "time channel"]]:
    """Return the valid part of every case in float64, checked."""
    if lengths is None:
        parts: Iterable[np.ndarray] = x
    elif len(lengths) != len(x):
        raise LayoutError("lengths does not fit x", got=len(lengths), expected=len(x))
    else:
        parts = (row[: int(n)] for row, n in zip(x, lengths, strict=True))
    series = [_real(part, f"case {index}") for index, part in enumerate(parts)]
    for index, part in enumerate(series):
        if part.ndim != 2 or 0 in part.shape or part.shape[1] != series[0].shape[1]:
            raise LayoutError(
                f"case {index} is not a series",
                got=f"shape {part.shape}",
                expected="(time, channel), the same channels in every case, and at least 1 sample",
            )
        if not np.isfinite(part).all():
            raise DataError(
                f"case {index} has samples that are not finite",
                hint="lengths= where they are padding, or filling them",
            )
    if not series:
        raise LayoutError("there are no cases", got=0, expected="at least 1")
    return series


def _real(values: np.ndarray, name: str) -> Float64[np.ndarray, "..."]:
    """Return numbers in float64; a cast of others would drop imaginary parts and read words."""
    array = np.asarray(values)
    if not (np.issubdtype(array.dtype, np.floating) or np.issubdtype(array.dtype, np.integer)):
        raise DataError(f"{name} must hold real numbers", got=array.dtype)
    return array.astype(np.float64)
