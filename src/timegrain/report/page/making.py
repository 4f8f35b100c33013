"""How the numbers were made: versions, seeds, windows and parameters, without any path."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from timegrain.core.citing import formatted
from timegrain.core.codec import encode
from timegrain.core.result import Result
from timegrain.report.figures.words import unique


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How one result was made.

    Args:
        kind: Its kind.
        name: Its name.
        outcome: How it ended.
        created: When, in UTC.
        seed: Its seed as text.
        parameters: Its parameters as JSON.
    """

    kind: str
    name: str
    outcome: str
    created: str
    seed: str
    parameters: str


def recipe(result: Result) -> Recipe:
    """Return how a result was made."""
    made = result.provenance
    parameters = without_paths(encode(made.parameters))
    return Recipe(
        kind=kind_name(result.kind),
        name=result.name,
        outcome=f"{result.outcome.name}: {message(result)}",
        created=made.created,
        seed="none" if made.seed is None else str(made.seed),
        parameters=json.dumps(parameters, ensure_ascii=False, allow_nan=False, indent=1),
    )


def message(result: Result) -> str:
    """Return what happened, as the result itself puts it where it has words of its own."""
    own = getattr(result, "message", None)
    return own if isinstance(own, str) else result.outcome.message


def versions(results: Sequence[Result]) -> list[tuple[str, str]]:
    """Return what made the results, as `(label, text)`; several where they differ."""
    made = [r.provenance for r in results]
    packages = unique([name for p in made for name in p.packages])
    created = sorted(p.created for p in made)
    rows = [
        ("timegrain", [p.timegrain for p in made]),
        ("Python", [p.python for p in made]),
        *((name, [p.packages[name] for p in made if name in p.packages]) for name in packages),
        ("platform", [p.platform for p in made]),
        ("seeds", sorted({str(p.seed) for p in made if p.seed is not None})),
    ]
    texts = [(label, ", ".join(unique(list(values)))) for label, values in rows if values]
    if created:
        texts.append(("made, UTC", " to ".join(unique([created[0], created[-1]]))))
    return texts


def citations(results: Sequence[Result]) -> list[str]:
    """Return what to cite for the results, a line each, without repetition."""
    return unique([line for r in results for line in r.cite().splitlines()])


def bibliography(results: Sequence[Result]) -> str:
    """Return the same as one `.bib` file; of several versions of this package, the last result's.

    Args:
        results: At least one.
    """
    return formatted(
        list({ref.key: ref for r in results for ref in r.references()}.values()), "bibtex"
    )


def kind_name(kind: str) -> str:
    """Return a kind as people write it: `task continuity`."""
    return kind.replace("-", " ")


def without_paths(value: object) -> object:
    """Return a JSON value in which every absolute path is replaced by its last part.

    Example:
        >>> without_paths({"data": ["/home/me/run 1.csv", "a/b"], "n": 3})
        {'data': ['run 1.csv', 'a/b'], 'n': 3}
    """
    if isinstance(value, str):
        for path in (PurePosixPath(value), PureWindowsPath(value)):
            if path.is_absolute() and path.name:
                return path.name
        return value
    if isinstance(value, Mapping):
        return {str(without_paths(k)): without_paths(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [without_paths(v) for v in value]
    return value
