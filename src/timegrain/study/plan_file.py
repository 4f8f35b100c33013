"""The plan that was measured, beside the snapshots of the trainings it is for."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from timegrain.core.errors import ConfigError, ResultError
from timegrain.core.output import write_atomically
from timegrain.core.result import read_result
from timegrain.training.distributed.environment import leads
from timegrain.training.seal import check_seal, sealed

if TYPE_CHECKING:
    from timegrain.training.plan.advice import PlanAdvice

PLAN_FILE = "plan.json"


def kept_plan(folder: Path, words: Mapping[str, object]) -> "PlanAdvice | None":
    """Return the plan that was measured before an interrupt; None where it has to be measured.

    A damaged file is as good as none: measuring gives the same again.

    Args:
        folder: Of the snapshots.
        words: What it would be measured with.

    Raises:
        ConfigError: If it was measured with other words, or nobody measured one for the snapshots.
    """
    from timegrain.study.unfinished import unfinished
    from timegrain.training.plan.advice import PlanAdvice

    is_kept = (folder / PLAN_FILE).exists()
    # stages that are asked for are followed where they cannot be measured, too
    if not is_kept and words.get("plan") == "auto" and unfinished(folder.parent):
        raise ConfigError(
            "the training there was begun without --plan auto",
            got="--plan auto to go on with it",
            hint="the words it was begun with, or --overwrite to begin again",
        )
    try:
        said = check_seal(json.loads((folder / PLAN_FILE).read_bytes()), name=PLAN_FILE)
        found = read_result(said["plan"], origin=PLAN_FILE)
    except (OSError, ValueError, KeyError, RecursionError):
        return None
    other = [name for name, value in words.items() if said["words"].get(name) != value]
    if other:
        raise ConfigError(
            "the training there is by another plan",
            got=", ".join(f"{n} {said['words'].get(n)} there and {words[n]} here" for n in other),
            hint="the words it was begun with, or --overwrite to begin again",
        )
    return found if isinstance(found, PlanAdvice) else None


def keep_plan(folder: Path, words: Mapping[str, object], advice: "PlanAdvice") -> None:
    """Store a plan beside the snapshots that will be there.

    Args:
        folder: Of the snapshots; made if it does not exist.
        words: What it was measured with.
        advice: The plan.

    Raises:
        ResultError: If it cannot be written.
    """
    if not leads():
        return
    text = json.dumps(sealed({"words": dict(words), "plan": advice.to_json()}))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / PLAN_FILE, text.encode())
    except OSError as error:
        raise ResultError("cannot write the plan", got=f"{folder} ({error.strerror})") from error
