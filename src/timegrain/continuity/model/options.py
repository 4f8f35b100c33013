"""The options of `model_continuity`, checked once."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from timegrain.continuity.model.inputs import DECIMATORS, REFINEMENTS
from timegrain.core.errors import ConfigError
from timegrain.models.options import refuse_set_apart
from timegrain.stats.norms import check_norm

PROTOCOLS = ("rescale", "native")
SCOPES = ("layer", "network")
REFERENCES = ("ladder", "ode")
_SET_APART = {
    "name": "the name of the model",
    "seed": "seed=... beside them",
    "d_model": "d_model=... beside them",
    "d_input": "d_input=... with scope='network'",
    "d_output": "leaving it out: a network has as many outputs as inputs here",
    "head": "leaving it out: a network has an output at every sample here",
    "vocab": "leaving it out: the input is real here",
}
_NETWORK = dict.fromkeys(
    ("n_layers", "norm", "norm_position", "mix", "bidirectional", "final_norm", "dropout"),
    "scope='network', whose option it is",
)


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """What `model_continuity` was asked for; see there for the meaning of each field.

    Args:
        named: Whether the model is a registered name.

    Raises:
        ConfigError: If an option is outside its domain or does not go with another.
    """

    named: bool
    dt: float
    length: int
    levels: int
    amplitudes: tuple[float, ...]
    refine: str
    protocol: str
    norm: str
    scope: str
    d_model: int
    d_input: int | None
    seeds: int
    seed: int
    options: Mapping[str, object] = field(default_factory=dict)
    decimator: str = "phase"
    reference: str = "ladder"

    def __post_init__(self) -> None:
        for name in ("levels", "seeds", "d_model", "length"):
            _whole(name, getattr(self, name), least=1)
        _whole("seed", self.seed, least=0)
        if self.d_input is not None:
            _whole("d_input", self.d_input, least=1)
        if not (math.isfinite(self.dt) and self.dt > 0):
            raise ConfigError("dt is the working step", got=self.dt, expected="dt > 0")
        _check_amplitudes(self.amplitudes)
        _one_of("refine", self.refine, REFINEMENTS)
        _one_of("decimator", self.decimator, DECIMATORS)
        if self.decimator != "phase" and self.refine != "recorded":
            raise ConfigError(
                "a decimator is for recorded samples",
                got=f"decimator={self.decimator!r} with refine={self.refine!r}",
                expected="refine='recorded'",
            )
        _one_of("protocol", self.protocol, PROTOCOLS)
        _one_of("scope", self.scope, SCOPES)
        _one_of("reference", self.reference, REFERENCES)
        check_norm(self.norm)
        if self.named:
            set_apart = {**_SET_APART, **({} if self.scope == "network" else _NETWORK)}
            refuse_set_apart(self.options, set_apart)
            return
        for name, default in (("scope", "layer"), ("options", {})):
            if getattr(self, name) != default:
                raise ConfigError(
                    f"{name} goes with a registered name",
                    got=f"{name}={getattr(self, name)!r} with a model that was passed",
                    hint="setting it where the model is built",
                )

    @property
    def measured_scope(self) -> str:
        """`"layer"` or `"network"` for a name, `"model"` for a model that was passed."""
        return self.scope if self.named else "model"


def nearest(amplitudes: Sequence[float], target: float = 1.0) -> int:
    """Return the index of the amplitude nearest to `target` on a logarithmic scale.

    Example:
        >>> nearest([0.1, 2.0, 10.0])
        1
    """
    return min(range(len(amplitudes)), key=lambda i: abs(math.log(amplitudes[i] / target)))


def _check_amplitudes(amplitudes: tuple[float, ...]) -> None:
    right = all(math.isfinite(a) and a > 0 for a in amplitudes)
    if not (amplitudes and right and len(set(amplitudes)) == len(amplitudes)):
        raise ConfigError(
            "amplitudes are factors of the signal",
            got=list(amplitudes),
            expected="positive, finite and different numbers",
            hint="amplitudes=(0.1, 1, 10)",
        )


def _whole(name: str, value: object, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"{name} is a whole number", got=repr(value), expected=f">= {least}")


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ConfigError(f"{name} is unknown", got=repr(value), expected=", ".join(allowed))
