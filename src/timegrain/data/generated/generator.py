"""A source that makes case `i` from its number alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import ConfigError, DataError
from timegrain.core.registry import suggest
from timegrain.core.users_code import users_code
from timegrain.data.generated.cases import Cases
from timegrain.data.generated.checks import (
    check_answers_made,
    check_description,
    checked_follows,
    checked_index,
)
from timegrain.data.generated.option import Option, whole

Target = Literal["class", "value", "class-per-sample", "value-per-sample"]

SIZES = {
    "n_train": whole(1, 1, 1 << 40, "the number of cases to train on"),
    "n_validation": whole(0, 0, 1 << 40, "the number of cases to validate on"),
    "n_test": whole(1, 1, 1 << 40, "the number of cases to test on"),
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Generator:
    """A source whose cases are made when they are asked for, one or many, in any order.

    Args:
        name: What people type.
        make: `make(index, *, seed, **options)` returns the `Cases` of those numbers, `(case,)`
            int64; a pure function: a case is the same numbers, alone or among others. All options
            are passed, by name. Where no case is asked for it need not work.
        source: One-line citation.
        values: What a sample is, with its unit.
        label: What the label is.
        options: The words it takes, by name; not `seed`, `n_train`, `n_validation`, `n_test`,
            which every generator takes.
        n_train: Cases to train on, unless told otherwise.
        n_validation: Cases to validate on.
        n_test: Cases to test on.
        kind: `"real"` or `"tokens"`.
        n_symbols: Of tokens, how many kinds there are, 0..n_symbols-1.
        vocabulary: The symbol each token stands for, or empty.
        target: `"class"` or `"value"`, one answer or several values a case; or one a sample,
            `"class-per-sample"` or `"value-per-sample"`.
        class_names: Of classes, their names.
        value_names: Of values, their names, or empty.
        channel_names: One a channel, or empty.
        dt: Step between samples, in `unit`.
        unit: Time unit.
        depends: `depends(**options)` returns those of the fields from `kind` to `unit` that
            follow from the options, by name.
        answers: `answers(index, *, seed, **options)` returns the labels and lengths that `make`
            gives, without the sequences; None where that is no less work.
        chosen: The options it was turned to; see `turned`.
        notes: Sentences a reader of results must see.

    Raises:
        ConfigError: If a field is outside its domain.
    """

    name: str
    make: Callable[..., Cases]
    source: str
    values: str
    label: str
    options: Mapping[str, Option] = field(default_factory=dict)
    n_train: int
    n_validation: int
    n_test: int
    kind: Literal["real", "tokens"]
    n_symbols: int = 0
    vocabulary: tuple[str, ...] = ()
    target: Target
    class_names: tuple[str, ...] = ()
    value_names: tuple[str, ...] = ()
    channel_names: tuple[str, ...] = ()
    dt: float = 1.0
    unit: str = "sample"
    depends: Callable[..., Mapping[str, Any]] | None = None
    answers: Callable[..., tuple[np.ndarray, Int64[np.ndarray, " case"] | None]] | None = None
    chosen: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_description(self, SIZES)

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{self.name}({said})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Tell another process of a shipped source by its name and what it was turned to."""
        sizes = {word: getattr(self, word) for word in SIZES}
        again = _shipped(self.name, {**sizes, **self.chosen})
        same = again is not None and all(
            getattr(again, f.name) == getattr(self, f.name) for f in fields(self)
        )
        if same:
            return _shipped, (self.name, {**sizes, **self.chosen})
        return super().__reduce_ex__(protocol)

    @property
    def settings(self) -> dict[str, Any]:
        """The value of every option, by name."""
        return {name: self.chosen.get(name, o.default) for name, o in self.options.items()}

    @property
    def metric(self) -> Literal["accuracy", "r2"]:
        """What answers are scored by."""
        return "accuracy" if self.target.startswith("class") else "r2"

    @property
    def per_sample(self) -> bool:
        """Whether there is an answer a sample."""
        return self.target.endswith("-per-sample")

    @property
    def shipped(self) -> bool:
        """Whether it makes a shipped set, and not one of yours that has its name."""
        again = _shipped(self.name, {})
        return again is not None and again.make == self.make

    def turned(self, **given: Any) -> "Generator":
        """Return the generator with some options and sizes set, and what follows from them.

        Args:
            given: Options of `options`, and `n_train`, `n_validation`, `n_test`, by name.

        Raises:
            ConfigError: If it has no such word, or a value is outside its domain.

        Example:
            >>> from timegrain.data.generated.option import whole
            >>> def make(index, *, seed, length):
            ...     x = np.repeat(index[:, None] % 2, length, axis=1)
            ...     return Cases(sequences=x, labels=index % 2)
            >>> same = Generator(
            ...     name="same", make=make, source="", values="a symbol", label="the symbol",
            ...     options={"length": whole(4, 2, None, "the number of symbols")}, n_train=8,
            ...     n_validation=2, n_test=2, kind="tokens", n_symbols=2, target="class",
            ...     class_names=("0", "1"),
            ... )
            >>> same.turned(length=3).cases(np.array([5])).sequences
            array([[1, 1, 1]])
        """
        known = {**self.options, **SIZES}
        for word in given:
            if word not in known:
                raise ConfigError(
                    f"{self.name!r} has no option {word!r}",
                    expected=f"one of seed, {', '.join(known)}",
                    hint=suggest(word, list(known), count=1),
                )
        taken = {word: known[word].take(word, value) for word, value in given.items()}
        sizes = {word: value for word, value in taken.items() if word in SIZES}
        chosen = {**self.chosen, **{w: v for w, v in taken.items() if w in self.options}}
        turned = replace(self, **sizes, chosen=chosen)
        if self.depends is None:
            return turned
        with users_code(self.name, ConfigError, doing="cannot be turned to these options"):
            follows = self.depends(**turned.settings)
        return replace(turned, **checked_follows(self.name, follows))

    def cases(self, index: Int64[np.ndarray, " case"], *, seed: int = 0) -> Cases:
        """Return some cases, checked.

        Args:
            index: Their numbers, `(case,)`, as `case_numbers` gives them.
            seed: `0 <= seed < 2^64`.

        Raises:
            ConfigError: If options do not fit each other, or there are no such numbers.
            DataError: If the generator fails, or what it made is no such cases.
        """
        index, seed = checked_index(self.name, index), check_seed(seed)
        with users_code(self.name, DataError, doing="cannot make its cases"):
            made = self.make(index, seed=seed, **self.settings)
        if not isinstance(made, Cases):
            raise DataError(
                f"{self.name!r} made no cases", got=type(made).__name__, expected="a Cases"
            )
        if len(made.sequences) != len(index) or len(made.labels) != len(index):
            raise DataError(
                f"{self.name!r} made other cases than were asked for",
                got=f"{len(made.sequences)} sequences and {len(made.labels)} labels",
                expected=f"{len(index)}",
            )
        count, time = np.shape(made.sequences)[:2]
        check_answers_made(self, made.labels, made.lengths, count=count, time=time)
        return made


def _shipped(name: str, words: Mapping[str, Any]) -> Generator | None:
    """Return the source of a name, turned; None where none is shipped that takes these words."""
    from timegrain.data.catalogue import card, datasets

    made = card(name).generator if name in datasets else None
    known = made is not None and set(words) <= {*made.options, *SIZES}
    return made.turned(**words) if made is not None and known else None


def check_seed(seed: Any) -> int:
    """Return a seed.

    Raises:
        ConfigError: If it is no whole number from 0 to 2^64 - 1.
    """
    good = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not good or not 0 <= int(seed) < 1 << 64:
        raise ConfigError("no such seed", got=repr(seed), expected="a whole number, 0 to 2^64 - 1")
    return int(seed)
