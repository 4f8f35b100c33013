"""The tensors of a folder, from one safetensors file or several."""

import json
from pathlib import Path, PurePath

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from timegrain.core.errors import ModelError
from timegrain.models.options import shown

FILE = "model.safetensors"
INDEX = "model.safetensors.index.json"
SUFFIX = ".safetensors"
_SAFE = "model.save_pretrained(folder, safe_serialization=True) in transformers"


def read_tensors(folder: Path) -> dict[str, Tensor]:
    """Return every tensor by the name it was saved under.

    Args:
        folder: A folder that `save_pretrained` wrote.

    Raises:
        ModelError: If there is no safetensors file, one is damaged, or the parts do not hold what
            their index promises.
    """
    if (folder / FILE).is_file():
        return _read(folder / FILE)
    if not (folder / INDEX).is_file():
        pickles = sorted(p.name for p in folder.glob("*.bin"))
        raise ModelError(
            "there are no weights that can be read safely",
            got=f"{', '.join(pickles)}, which are pickles" if pickles else f"{folder} without any",
            expected=f"{FILE} or {INDEX}",
            hint=_SAFE,
        )
    places = _index(folder)
    tensors: dict[str, Tensor] = {}
    for part in sorted(set(places.values())):
        found = _read(folder / part)
        promised = {name for name, place in places.items() if place == part}
        if found.keys() != promised:
            odd = sorted(found.keys() ^ promised)
            raise ModelError(
                f"{part} does not hold what {INDEX} promises",
                got=f"{len(odd)} names that only one of them has, such as {odd[0]}",
                hint="copying all files of the folder again",
            )
        tensors |= found
    return tensors


def _index(folder: Path) -> dict[str, str]:
    """Return the file of each tensor; files lie in the folder itself."""
    try:
        places = json.loads((folder / INDEX).read_bytes())["weight_map"]
        right = all(_beside(place) for place in places.values())
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ModelError(f"{INDEX} is no index of weights", got=shown(error)) from error
    if not right:
        raise ModelError(
            f"{INDEX} points outside its folder",
            expected="names of safetensors files beside it",
        )
    return dict(places)


def _beside(place: object) -> bool:
    """Return whether a place is the name of a safetensors file in the same folder."""
    return isinstance(place, str) and PurePath(place).name == place and place.endswith(SUFFIX)


def _read(file: Path) -> dict[str, Tensor]:
    try:
        return load_file(file)
    except OSError as error:
        raise ModelError(f"cannot read {file.name}", got=error.strerror or str(error)) from error
    except SafetensorError as error:
        raise ModelError(f"{file.name} is damaged", got=str(error)) from error
