"""Stages of a training: how many epochs on every k-th sample, one after the other."""

from collections.abc import Iterable
from dataclasses import dataclass

from timegrain.core.errors import ConfigError

MOST = 1_000_000
"""Epochs of a training, each of which is laid out before it begins."""


@dataclass(frozen=True, kw_only=True)
class StageRow:
    """Epochs on every `stride`-th sample.

    Args:
        stride: Keep one sample in so many; 1 is full resolution.
        epochs: Passes over the training part.

    Raises:
        ConfigError: If either is not a whole number >= 1, or there are more than `MOST` epochs.
    """

    stride: int
    epochs: int

    def __post_init__(self) -> None:
        for name in ("stride", "epochs"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ConfigError(
                    f"a stage cannot have this {'stride' if name == 'stride' else 'many epochs'}",
                    got=repr(value),
                    expected="a whole number, 1 or more",
                )
        if self.epochs > MOST:
            raise ConfigError(
                "a stage cannot have this many epochs",
                got=self.epochs,
                expected=f"at most {MOST:,}",
            )


def parse_stages(text: str) -> tuple[StageRow, ...]:
    """Return the stages written as `stride:epochs`, separated by commas.

    Args:
        text: Such as `"8:80,4:60,1:20"`.

    Raises:
        ConfigError: If the text does not read so.

    Example:
        >>> parse_stages("4:60,1:20")
        (StageRow(stride=4, epochs=60), StageRow(stride=1, epochs=20))
    """
    return tuple(_parse_stage(part, text) for part in text.split(","))


def _parse_stage(part: str, text: str) -> StageRow:
    stride, _, epochs = part.partition(":")
    try:
        if "_" in part:
            raise ValueError("int() would read 1_0 as 10")
        counts = int(stride), int(epochs)
    except ValueError:
        raise ConfigError(
            f"cannot read the stage {part.strip()!r}",
            got=None if part == text else repr(text),
            expected="stride:epochs in whole numbers"
            + ("; for a plan also auto or none" if text.strip().isalpha() else ""),
            hint="8:80,4:60,1:20 for three stages",
        ) from None
    return StageRow(stride=counts[0], epochs=counts[1])


def read_stages(stages: str | Iterable[StageRow | tuple[int, int]]) -> tuple[StageRow, ...]:
    """Return stages given as text, as rows or as `(stride, epochs)` pairs.

    Raises:
        ConfigError: If there is none, or one cannot be read.

    Example:
        >>> read_stages([(2, 3)]) == read_stages("2:3")
        True
    """
    if isinstance(stages, str):
        return parse_stages(stages)
    if not isinstance(stages, Iterable):
        raise ConfigError(
            "cannot read the stages",
            got=repr(stages),
            expected="(stride, epochs) pairs, or text such as '8:80,4:60,1:20'",
            hint=f"stages=((1, {stages}),)" if isinstance(stages, int) else "stages=((1, 15),)",
        )
    rows = tuple(s if isinstance(s, StageRow) else _from_pair(s) for s in stages)
    if not rows:
        raise ConfigError("a training needs stages", got="none", hint="stages=((1, 15),)")
    return rows


def _from_pair(pair: object) -> StageRow:
    if not (isinstance(pair, tuple | list) and len(pair) == 2):
        raise ConfigError("cannot read a stage", got=repr(pair), expected="(stride, epochs)")
    return StageRow(stride=pair[0], epochs=pair[1])


def plan_name(stages: Iterable[StageRow]) -> str:
    """Return `"full"` for full resolution throughout, else the text `parse_stages` reads.

    Example:
        >>> plan_name(parse_stages("8:4,1:2")), plan_name(parse_stages("1:15"))
        ('8:4,1:2', 'full')
    """
    rows = tuple(stages)
    if all(row.stride == 1 for row in rows):
        return "full"
    return ",".join(f"{row.stride}:{row.epochs}" for row in rows)
