"""One file a training, written whole or not at all, so that a study that was stopped goes on."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from timegrain._version import __version__
from timegrain.core.errors import ResultError
from timegrain.core.output import write_atomically
from timegrain.study.presets.paper_refinement.trajectories import STEPS
from timegrain.study.presets.paper_refinement.unit import Losses, Unit

if TYPE_CHECKING:
    from timegrain.study.presets.paper_refinement.settings import PaperRefinementSettings

_SIZES = ("length", "trajectories", "tested", "epochs", "d_model", "n_layers", "noise", "seed")


def read_losses(unit: Unit, settings: "PaperRefinementSettings") -> Losses | None:
    """Return what a training left before; None where it did not, or was another.

    A damaged file is as good as none: the training is done again.

    Args:
        unit: Which.
        settings: What is asked for, and where it would be.
    """
    if settings.folder is None:
        return None
    try:
        said = json.loads(_file(settings.folder, unit).read_bytes())
        if said["asked"] != _asked(unit, settings):
            return None
        told, untold, possible = (
            np.array(said[name], dtype=np.float64) for name in ("told", "untold", "possible")
        )
        trivial, seconds = float(said["trivial"]), float(said["seconds"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    shape = (len(settings.taus), settings.tested)
    if told.shape != shape or untold.shape != shape or possible.shape != shape[1:]:
        return None
    return Losses(told=told, untold=untold, possible=possible, trivial=trivial, seconds=seconds)


def keep_losses(unit: Unit, settings: "PaperRefinementSettings", losses: Losses) -> None:
    """Write what a training left, where the study keeps it.

    Args:
        unit: Which.
        settings: Of the study.
        losses: Of the training.

    Raises:
        ResultError: If it cannot be written.
    """
    if settings.folder is None:
        return
    text = json.dumps(
        {
            "asked": _asked(unit, settings),
            "told": losses.told.tolist(),
            "untold": losses.untold.tolist(),
            "possible": losses.possible.tolist(),
            "trivial": losses.trivial,
            "seconds": losses.seconds,
        }
    )
    try:
        settings.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(_file(settings.folder, unit), text.encode())
    except OSError as error:
        raise ResultError(
            "cannot write the scores of a training", got=f"{settings.folder} ({error.strerror})"
        ) from error


def _file(folder: Path, unit: Unit) -> Path:
    return folder / f"{unit.name.replace('/', '-').replace(':', '-')}.json"


def _asked(unit: Unit, settings: "PaperRefinementSettings") -> dict[str, Any]:
    """Return all that the losses of a unit depend on, as JSON has it."""
    return {
        "timegrain": __version__,
        "unit": [unit.task, unit.model, unit.seed],
        "dt": STEPS[unit.task],
        "taus": list(settings.taus),
        **{name: getattr(settings, name) for name in _SIZES},
    }
