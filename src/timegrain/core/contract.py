"""What the contracts of models and of sources share: verdicts, and how they are told."""

import sys
from collections.abc import Callable, Mapping, Sequence

PASSED, FAILED, NOT_APPLICABLE, NOTED = "passed", "failed", "not applicable", "noted"


def verdict_text(verdicts: Sequence[str]) -> str:
    """Return whether a contract is kept, and how many checks say so.

    Args:
        verdicts: One a check and case, each one of the four above.

    Example:
        >>> verdict_text([PASSED, PASSED, NOT_APPLICABLE])
        'keeps the part of the contract that applies to it: 2 passed, 1 not applicable'
    """
    counts = {v: verdicts.count(v) for v in (PASSED, FAILED, NOTED, NOT_APPLICABLE)}
    said = ", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n)
    kept = "keeps the contract"
    if counts[NOT_APPLICABLE] or counts[NOTED]:
        kept = "keeps the part of the contract that applies to it"
    return f"{'FAILS' if counts[FAILED] else kept}: {said}"


def what_is_asked(checks: Mapping[str, Callable[..., object]]) -> dict[str, str]:
    """Return what each check asks: the docstring of the module it stands in.

    Args:
        checks: The functions by name.
    """
    modules = {name: sys.modules[check.__module__] for name, check in checks.items()}
    return {name: (module.__doc__ or "").strip() for name, module in modules.items()}
