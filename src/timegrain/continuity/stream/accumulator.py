"""`ContinuityAccumulator`: task continuity in one pass over chunks, in whatever order."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from timegrain.continuity.stream.check import as_chunk, check_same, whole_number
from timegrain.continuity.stream.finish import finish
from timegrain.continuity.stream.run import Run, extend, follow
from timegrain.continuity.task.arrays import Kind
from timegrain.continuity.task.options import TaskOptions
from timegrain.continuity.task.result import TaskContinuity
from timegrain.core.errors import ConfigError, DataError
from timegrain.kernels.discontinuity.forest.nodes import Grain

STRIDES = (2, 4, 8, 16, 32, 64)


class ContinuityAccumulator:
    """Measures how continuous a stream of samples is, in memory that does not grow with its length.

    Chunks may be of any size and come in any order, to one accumulator or to several that are
    merged later: the result is the same to the last bit. It is that of `task_continuity`, except
    that sums are added in another order (a relative difference of about 1e-12), that the interval
    of one sequence is made from up to 64 aligned blocks, and that the spectrum and the 99th
    percentile of the error are left out, since both need the samples.

    Kept are, for every sequence, the sums of at most about 64 stretches, and up to 4,096 samples
    plus the longest stride at each end of what came without a gap.

    Args:
        n_channels: Channels of the samples; None for those of the first chunk.
        strides: Whole numbers >= 2; 2 is measured in any case.
        window: Samples a piece, cut from the begin of each sequence; None for whole sequences.
        dt: Step between samples, in `unit`.
        unit: Time unit of `dt`.
        kind: `"tokens"` for symbols.
        detrend: `"linear"` or None, as in `task_continuity`.
        tol: The horizon's tolerance.
        seed: Seed of the bootstrap.
        replicates: Of the bootstrap, at least 99.
        name: What the data are called.
        channel_names: One name a channel; None for their indices.

    Raises:
        ConfigError: If an option is outside its domain.
        GridError: If `dt` is.

    Example:
        >>> import numpy as np
        >>> x = np.sin(np.arange(2000.0) / 30)
        >>> first, second = ContinuityAccumulator(), ContinuityAccumulator()
        >>> second.update(x[700:], start=700)
        >>> first.update(x[:700])
        >>> first.merge(second)
        >>> whole = ContinuityAccumulator()
        >>> whole.update(x)
        >>> first.result().discontinuity == whole.result().discontinuity
        True
    """

    def __init__(
        self,
        *,
        n_channels: int | None = None,
        strides: Sequence[int] = STRIDES,
        window: int | None = None,
        dt: float = 1.0,
        unit: str = "sample",
        kind: Kind = "real",
        detrend: Literal["linear"] | None = None,
        tol: float = 0.05,
        seed: int = 0,
        replicates: int = 999,
        name: str = "stream",
        channel_names: Sequence[str] | None = None,
    ) -> None:
        self.options = TaskOptions(
            dt=dt,
            strides=strides,
            detrend=detrend,
            tol=tol,
            seed=seed,
            replicates=replicates,
            window=window,
            kind=kind,
            name=name,
            unit=unit,
        )
        self.channel_names = None if channel_names is None else tuple(map(str, channel_names))
        self.rounding = 0.0
        self.runs: dict[int, list[Run]] = {}
        self.words: dict[int, Counter[int]] = {}
        self.grain: Grain | None = None
        if n_channels is None and self.channel_names is not None:
            n_channels = len(self.channel_names)
        if n_channels is not None:
            self._set_channels(whole_number(n_channels, "n_channels", least=1))

    def update(self, chunk: Any, *, sequence: int = 0, start: int | None = None) -> None:
        """Take in samples that follow each other without a gap.

        Args:
            chunk: `(time,)` or `(time, channel)`; NaN where a sample is missing. For tokens
                `(time,)` whole numbers.
            sequence: Number of the sequence they are from, >= 0.
            start: Their place in it: the number of samples before them; None for right behind
                the furthest sample of the sequence so far.

        Raises:
            ConfigError: If a number is outside its domain.
            DataError: If the values are no numbers of that kind, or the channels are others.
        """
        sequence = whole_number(sequence, "sequence")
        samples, eps = as_chunk(chunk, self.options.kind)
        width = samples.shape[1] if samples.ndim == 2 else 1
        if self.grain is None:
            self._set_channels(width)
        if width != self._grain().channels:
            raise DataError(
                "a chunk has other channels", got=width, expected=self._grain().channels
            )
        runs = self.runs.setdefault(sequence, [])
        if start is None:
            start = max((run.stop for run in runs), default=0)
        start = whole_number(start, "start")
        if not len(samples):
            return
        self.rounding = max(self.rounding, eps)
        if self.options.kind == "tokens":
            self._count(sequence, samples)
        before = next((run for run in runs if run.stop == start), None)
        if before is None:
            before = Run(start=start, stop=start)
            runs.append(before)
        extend(before, samples, self._grain())
        self.runs[sequence] = self._connected(runs, before)

    def merge(self, other: "ContinuityAccumulator") -> None:
        """Take in what another accumulator of the same settings has seen; it stays as it is.

        Raises:
            ConfigError: If the settings differ.
        """
        check_same(self, other)
        if other.grain is None:
            return
        if self.grain is None:
            self._set_channels(other.grain.channels)
        self.rounding = max(self.rounding, other.rounding)
        for sequence, words in other.words.items():
            self.words.setdefault(sequence, Counter()).update(words)
        for sequence, runs in other.runs.items():
            mine = self.runs.setdefault(sequence, [])
            for run in runs:
                copy = run.copy()
                mine.append(copy)
                self.runs[sequence] = mine = self._connected(mine, copy)

    def result(self) -> TaskContinuity:
        """Return the measurement of everything seen so far; more may follow.

        Raises:
            DataError: If samples between chunks are missing or were given twice, with their
                numbers; or there is nothing to measure.
        """
        if self.grain is None or not self.runs:
            raise DataError("no samples were given", expected="update() with at least one chunk")
        return finish(self)

    def to_json(self) -> str:
        """Return the whole state as JSON text, exact to the last bit."""
        from timegrain.continuity.stream.state import to_json

        return to_json(self)

    @classmethod
    def from_json(cls, text: str) -> "ContinuityAccumulator":
        """Return the accumulator that `to_json` wrote.

        Raises:
            ResultError: If the text is no such state.
        """
        from timegrain.continuity.stream.state import from_json

        return from_json(text)

    def _grain(self) -> Grain:
        if self.grain is None:
            raise DataError("the number of channels is unknown before the first chunk")
        return self.grain

    def _set_channels(self, channels: int) -> None:
        if self.channel_names is not None and len(self.channel_names) != channels:
            raise ConfigError(
                "channel names do not fit",
                got=f"{len(self.channel_names)} names",
                expected=channels,
            )
        if self.options.kind == "tokens" and channels != 1:
            raise ConfigError("tokens have one channel", got=channels)
        self.grain = Grain(
            channels=channels,
            strides=tuple(self.options.strides),
            window=self.options.window,
            detrend=self.options.detrend == "linear",
            tokens=self.options.kind == "tokens",
        )

    def _count(self, sequence: int, tokens: np.ndarray) -> None:
        words, counts = np.unique(tokens, return_counts=True)
        pairs = dict(zip(words.tolist(), counts.tolist(), strict=True))
        if self.options.window is None:
            self.words.setdefault(sequence, Counter()).update(pairs)

    def _connected(self, runs: list[Run], new: Run) -> list[Run]:
        """Return the runs with the one that begins where `new` stops, and so on, put behind it."""
        before = next((r for r in runs if r is not new and r.stop == new.start), None)
        if before is not None:
            runs = [r for r in runs if r is not new]
            follow(before, new, self._grain())
            new = before
        after = next((r for r in runs if r is not new and r.start == new.stop), None)
        if after is not None:
            runs = [r for r in runs if r is not after]
            follow(new, after, self._grain())
        return runs
