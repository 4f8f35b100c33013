"""Which words a person gave for a generated source, which for a dial, and which nobody knows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from timegrain.core.errors import ConfigError
from timegrain.data.dataset import Dataset
from timegrain.data.dials.kinds import dials, load_dial
from timegrain.data.dials.words import check_dose
from timegrain.data.generated.generator import SIZES, Generator, check_seed

SEED = "seed"
# as near as a slip of the pen leaves a word
_NEAR = 0.75
# words of others for dials
_MEANT = {"stride": "decimate", "k": "decimate", "snr": "noise", "shuffle": "window_shuffle"}
# small sets of fixed size, and those whose size can be chosen
_OF_ANY_SIZE = {
    "listops": "lra-listops",
    "selective-copy-last": "selective-copying",
    "lorenz": "lorenz-inference",
    "van-der-pol": "vdp-inference",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Request:
    """A source with the words that were given for it sorted out.

    Args:
        generator: Turned to its options; None where the source is no generator.
        named: The words that every source has, without those that went to the generator.
        doses: Of dials to turn, by name, in the order in which they were given.
        seed: Of all that is drawn.
        said: All that was said of how the sequences are made and changed, checked, by name.
    """

    generator: Generator | None
    named: Mapping[str, Any]
    doses: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    said: Mapping[str, Any] = field(default_factory=dict)

    def dialled(self, data: Dataset) -> Dataset:
        """Return a dataset with the dials turned, and what was said of it."""
        if not self.said:
            return data
        if self.generator is not None:
            data = replace(data, options=self.said)
        for name, dose in self.doses.items():
            data = load_dial(name).turn(data, dose, seed=self.seed)
        return replace(data, options=self.said)


def request(
    name: str, generator: Generator | None, named: Mapping[str, Any], options: Mapping[str, Any]
) -> Request:
    """Sort out the words that were given.

    A generator's own options come first: also a word such as `dt`, which every source has, is one
    where the generator has an option of that name.

    Args:
        name: Of the source, for errors.
        generator: What makes the source; None for others.
        named: Words that every source has, with their values, None where nothing was said.
        options: All other words.

    Raises:
        ConfigError: If a word is known to nobody, or a value is outside its domain.
    """
    known = {} if generator is None else {**generator.options, **SIZES}
    mine = {w: v for w, v in named.items() if w in known and v is not None}
    mine |= {w: v for w, v in options.items() if w in known}
    left = {w: v for w, v in options.items() if w not in known}
    # a seed is for all that is drawn: the cases of a generator, and what a dial draws
    seed = check_seed(left.pop(SEED, 0))
    for word in left:
        if word not in dials:
            # where eta can be turned it is an option already
            turned_by = [dial for dial in dials.names() if dial != "eta"]
            own = [*known, *turned_by, SEED]
            raise _unknown(name, word, own, [w for w in named if w not in own], made=bool(known))
    doses = {w: check_dose(load_dial(w), v) for w, v in left.items()}
    turned = None if generator is None else generator.turned(**mine)
    taken = {w: turned.settings.get(w, getattr(turned, w, None)) for w in mine} if turned else {}
    # a seed draws nothing where there is neither a generator nor a dial
    drawn = {SEED: seed} if seed and (turned is not None or doses) else {}
    return Request(
        generator=turned,
        named={w: None if w in mine else v for w, v in named.items()},
        doses=doses,
        seed=seed,
        said={**taken, **doses, **drawn},
    )


def _unknown(name: str, word: str, own: list[str], others: list[str], *, made: bool) -> ConfigError:
    # a near word of its own is meant before one that every source has
    near = get_close_matches(word, own, n=1, cutoff=_NEAR)
    near = near or get_close_matches(word, [*own, *others], n=1)
    hint = _MEANT.get(word) or next(iter(near), None)
    if word in SIZES and word not in own:
        like = _OF_ANY_SIZE.get(name, "a generated set")
        hint = f"{word} with {like}; the parts of this one are what they are"
    return ConfigError(
        f"{name!r} has no option {word!r}",
        expected=f"one of {', '.join(own if made else [*own, *others])}",
        hint=hint,
    )
