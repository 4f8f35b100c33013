"""Which names are measured as streams, and what a shard needs."""

from pathlib import Path
from typing import Any

from timegrain.continuity.stream.blocks import fits_blocks
from timegrain.core.errors import ConfigError
from timegrain.core.output import check_writable
from timegrain.data.many import expand, is_pattern, shard_of


def is_streamed(name: str, words: dict[str, Any], *, whole: tuple[str, ...]) -> bool:
    """Whether a name stands for many files, or for one that is read in blocks.

    Args:
        name: What the user typed.
        words: Keyword arguments of `load_dataset`.
        whole: The options that were given and need whole recordings in memory.

    Raises:
        ConfigError: If that was asked of many files.
    """
    if not is_pattern(name):
        return not whole and fits_blocks(Path(name), words)
    if whole:
        raise _needs_whole(whole, f"the pattern {name!r}", "one file at a time")
    return True


def _needs_whole(options: tuple[str, ...], got: str, hint: str) -> ConfigError:
    verb = "needs" if len(options) == 1 else "need"
    what = f"{' and '.join(options)} {verb} whole recordings in memory"
    return ConfigError(what, got=got, hint=hint)


def check_shard(
    shard: str,
    names: list[str],
    output: Path | None,
    *,
    whole_only: tuple[str, ...],
    of_result: tuple[str, ...],
) -> tuple[tuple[int, int], Path]:
    """Return the part that is meant and the directory it is written to.

    Args:
        shard: What the user typed.
        names: Of the data.
        output: A directory.
        whole_only: The options that were given and need whole recordings in memory.
        of_result: Those that need a finished measurement.

    Raises:
        ConfigError: If a shard is asked of what has none.
        ResultError: If the directory cannot be written.
    """
    place = shard_of(shard)
    if len(names) != 1:
        raise ConfigError("a shard is part of one name or pattern", got=", ".join(names))
    if whole_only:
        raise _needs_whole(whole_only, f"--shard {shard}", "leaving out one or the other")
    if of_result:
        verb = "needs" if len(of_result) == 1 else "need"
        raise ConfigError(
            f"{' and '.join(of_result)} {verb} a result, which parts have once they are merged",
            got=f"--shard {shard}",
            hint=f"{' and '.join(of_result)} of timegrain merge",
        )
    if output is None:
        raise ConfigError("a shard is written to a directory", hint="--output part_1")
    check_writable(output)
    return place, output


def describe_files(name: str) -> str:
    """Return how many files a name stands for."""
    files = expand(name)
    if len(files) == 1:
        return f"{files[0]}, one file"
    return f"{name}: {len(files):,} files, {files[0].name} to {files[-1].name}"
