"""`timegrain ls`: the names that other commands accept."""

import sys

from timegrain.cli.flags import Json


def ls(*, json: Json = False) -> int:
    """List the datasets and models that have a name."""
    import json as codec

    from timegrain.data import datasets
    from timegrain.models import models

    kinds = (("dataset", datasets), ("model", models))
    rows = [(e.name, kind, e.summary) for kind, registry in kinds for e in registry]
    if json:
        keys = ("name", "kind", "summary")
        codec.dump([dict(zip(keys, r, strict=True)) for r in rows], sys.stdout, indent=2)
        print()
        return 0
    print(_listing(rows))
    return 0


def _listing(rows: list[tuple[str, str, str]]) -> str:
    width = max(len(name) for name, _, _ in rows)
    lines = [f"{name.ljust(width)}  {kind.ljust(7)}  {summary}" for name, kind, summary in rows]
    return "\n".join(line[:80] for line in lines)
