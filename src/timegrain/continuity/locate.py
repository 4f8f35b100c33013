"""What a word of the command line means as a model."""

import dataclasses
import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from timegrain.continuity.adapter.folder import huggingface_adapter, is_model_folder
from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.model.introspect import is_module
from timegrain.continuity.model.result import ModelContinuity
from timegrain.core.errors import ConfigError, ModelError, UnknownNameError
from timegrain.core.locate import load_attribute
from timegrain.core.registry import suggest
from timegrain.core.seeding import global_seed
from timegrain.core.users_code import users_code


@dataclass(frozen=True, kw_only=True)
class LocatedModel:
    """A model that was named by a word.

    Args:
        word: The word.
        model: A registered name, or the object that the word names.
        note: What was done to get it; empty if nothing that a reader has to know.
    """

    word: str
    model: "str | Callable[..., object] | ModelAdapter"
    note: str = ""

    def label(self, result: ModelContinuity) -> ModelContinuity:
        """Return a result of this model under the word, with the note."""
        notes = (self.note, *result.notes) if self.note else result.notes
        return dataclasses.replace(result, name=self.word, notes=notes)


def locate_model(name: str, *, seed: int | None = None) -> LocatedModel:
    """Return the model that a word of the command line names.

    Args:
        name: A registered model; `module:attribute` naming an `nn.Module` instance, a callable
            on arrays of shape `(batch, time, channel)`, a `ModelAdapter`, or a function without
            arguments that returns one of these, which is called once; or a folder that
            transformers wrote, which `huggingface_adapter` reads.
        seed: Of the global generators of torch, numpy and random, while the module is imported
            and again while the function is called, so that its weights are the same each time; a
            module that was imported before keeps what it drew. None leaves them alone.

    Raises:
        UnknownNameError: If it is none; the text suggests the nearest registered names.
        ConfigError: If the module or attribute cannot be found, or a folder has a registered name.
        MissingPackageError: If it is a folder, and transformers is not installed.
        ModelError: If the attribute is a class or cannot be called, the word is a file or a folder
            without a model, or the code of the module or of the function fails.

    Example:
        >>> locate_model("s4d").model
        's4d'
    """
    from timegrain.models import models

    _refuse_file(name)
    folder = is_model_folder(name)
    if folder and name in models:
        raise ConfigError(
            f"{name} is a registered name and a folder of a model",
            expected="one of them",
            hint=f"./{name} for the folder",
        )
    if folder:
        return LocatedModel(word=name, model=huggingface_adapter(name))
    if ":" not in name:
        _refuse_unknown(name, models.names())
        return LocatedModel(word=name, model=name)
    with global_seed(seed):
        found = load_attribute(name, raised=ModelError)
    if not _is_factory(found):
        return LocatedModel(word=name, model=_model(found, name))
    with global_seed(seed):
        made = _made(found, name)
    model = _model(made, f"what {name} returns")
    note = (
        f"{name} takes no argument: it was called once, and what it returned "
        f"({type(model).__name__}) was measured."
    )
    return LocatedModel(word=name, model=model, note=note)


def _refuse_file(name: str) -> None:
    path, _, attribute = name.partition(":")
    if not path.endswith(".py"):
        return
    parts = PurePath(path).with_suffix("").parts
    inside = not PurePath(path).is_absolute() and ".." not in parts
    module = ".".join(parts) if inside else parts[-1]
    where = "" if inside else ", in the directory of the file"
    raise ModelError(
        f"{name} names a file",
        expected="a registered name or module:attribute",
        hint=f"{module}:{attribute or 'attribute'}{where}",
    )


def _refuse_unknown(name: str, known: Sequence[str]) -> None:
    if name in known:
        return
    if os.path.isdir(name):  # noqa: PTH112 - False for what is too long for a name, too
        raise ModelError(
            f"{name} is a folder without a model",
            expected="one with the config.json of transformers",
        )
    if "/" in name or os.sep in name:
        raise ModelError(f"there is no folder {name}", expected="one that transformers wrote")
    raise UnknownNameError(
        f"there is no model called {name!r}",
        expected=f"one of {', '.join(known)}; or module:attribute, or a folder of transformers",
        hint=suggest(name, known, count=1) or "my_code:net for net in my_code.py",
    )


def _is_factory(found: object) -> bool:
    if isinstance(found, type) or is_module(found) or not callable(found):
        return False
    try:
        return not inspect.signature(found).parameters
    except (TypeError, ValueError):  # compiled functions carry no signature
        return False


def _made(factory: object, name: str) -> object:
    with users_code(
        name,
        ModelError,
        doing="takes no argument, was called, and failed",
        hint="a function that returns a model, or one of an array (batch, time, channel)",
    ):
        return factory() if callable(factory) else factory


def _model(found: object, name: str) -> "Callable[..., object] | ModelAdapter":
    if isinstance(found, ModelAdapter):
        return found
    if isinstance(found, type) or not callable(found):
        raise ModelError(
            f"{name} is not a model",
            got=f"the class {found.__name__}" if isinstance(found, type) else repr(type(found)),
            expected="an nn.Module instance, or a function of an array (batch, time, channel)",
            hint="a module-level instance, such as net = Net(), or a function that returns one",
        )
    return found
