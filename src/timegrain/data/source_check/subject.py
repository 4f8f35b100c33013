"""What is checked: a source, loaded as people load it."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from timegrain.core.errors import ConfigError, DataError, TimegrainError
from timegrain.core.users_code import users_code
from timegrain.data.dataset import Dataset
from timegrain.data.generated.cases import Cases
from timegrain.data.generated.dataset import generated_dataset
from timegrain.data.generated.generator import Generator
from timegrain.data.generated.parts import case_numbers
from timegrain.data.generated.request import request
from timegrain.data.load import generator_of, load_dataset
from timegrain.data.resolve import resolve
from timegrain.data.task import Task
from timegrain.data.tasks import load_task, make_task

# words of `load_task` that say how recordings are cut
_CUT = ("window", "hop", "ahead", "permute", "target", "lazy")


@dataclass(frozen=True, kw_only=True, eq=False)
class Subject:
    """A source under examination.

    Args:
        name: What it is called.
        data: All its sequences, or of a generated one so many as are looked at.
        task: The task made of them; None where there is none.
        no_task: Why there is none.
        again: Loads `data` once more; None where it was given as it is.
        generator: What makes it by number; None where nothing does.
        seed: Of all that is drawn.
    """

    name: str
    data: Dataset
    task: Task | None
    no_task: str
    again: Callable[[], Dataset] | None
    generator: Generator | None
    seed: int

    @cached_property
    def cases(self) -> Cases | None:
        """The cases to train on as they are made; None where nothing makes them by number."""
        if self.generator is None:
            return None
        index = case_numbers("train", self.generator.n_train)
        return self.generator.cases(index, seed=self.seed)

    @classmethod
    def of(
        cls,
        source: str | os.PathLike[str] | Dataset | Generator,
        *,
        cases: int,
        seed: int,
        options: Mapping[str, Any],
    ) -> "Subject":
        """Return a source as a subject.

        Args:
            source: As for `check_source`.
            cases: Of a generated source, how many cases of each part are made at most.
            seed: Of all that is drawn.
            options: Words of `load_task`.

        Raises:
            ConfigError: If there is no such source, or a word does not go with it.
            TimegrainError: If it cannot be loaded at all.
        """
        if isinstance(source, Dataset):
            if options:
                raise ConfigError("a dataset is checked as it is", got=", ".join(options))
            return cls._loaded(source.name, lambda: source, lambda: make_task(source), None, seed)
        generator = generator_of(source)
        if generator is not None:
            cut = [w for w in _CUT if w in options and w not in generator.options]
            if cut:
                raise ConfigError(
                    "a source that makes its cases is checked before they are cut or changed",
                    got=", ".join(f"{w}={options[w]!r}" for w in cut),
                    expected=f"its own options: {', '.join(generator.options) or 'it has none'}",
                )
            asked = request(generator.name, generator, {}, {**options, "seed": seed})
            if asked.doses or asked.generator is None:
                raise ConfigError("a source is checked before a dial is turned", got=asked.doses)
            return cls._generated(asked.generator, cases, seed)
        place = cast("str | os.PathLike[str]", source)
        words = {k: v for k, v in options.items() if k not in _CUT}
        if isinstance(options.get("target"), str) and "ahead" not in options:
            words["target"] = options["target"]

        def load() -> Dataset:
            return load_dataset(place, **words)

        path = resolve(place).path
        # results hold no absolute path
        name = str(place) if path is None else path.absolute().name
        return cls._loaded(
            name, load, lambda: load_task(place, seed=seed, **dict(options)), load, seed
        )

    @classmethod
    def _generated(cls, generator: Generator, cases: int, seed: int) -> "Subject":
        few = {
            word: min(int(getattr(generator, word)), cases)
            for word in ("n_train", "n_validation", "n_test")
        }
        small = generator.turned(**few)

        def load() -> Dataset:
            with users_code(generator.name, DataError, doing="cannot make its cases"):
                return generated_dataset(small, seed=seed)

        data = load()
        task = make_task(data, seed=seed, each_sample=generator.per_sample)
        return cls(
            name=generator.name,
            data=data,
            task=task,
            no_task="",
            again=load,
            generator=small,
            seed=seed,
        )

    @classmethod
    def _loaded(
        cls,
        name: str,
        load: Callable[[], Dataset],
        make: Callable[[], Task],
        again: Callable[[], Dataset] | None,
        seed: int,
    ) -> "Subject":
        data, task, why = load(), None, ""
        try:
            task = make()
        except TimegrainError as error:
            why = error.what
        return cls(
            name=name, data=data, task=task, no_task=why, again=again, generator=None, seed=seed
        )
