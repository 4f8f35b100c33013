"""What stands in a batch under which name, checked before samples are dropped from it."""

import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.models.options import shown, whole

INPUTS = ("x", "input_ids", "inputs_embeds", "input_values", "values", "input_features")
TARGETS = ("y", "labels", "label")
MASK = "attention_mask"
# besides the input and the attention mask, what tokenizers and time series give along time
ALONG = ("mask", "token_type_ids", "position_ids", "special_tokens_mask")
# what follows by a rule of its own, and need not be named
_OWN_RULE = (MASK, "lengths", "times", "mask", "tau")


def named(batch: object) -> dict[str, Any]:
    """Return a batch by names.

    Raises:
        LayoutError: If it is none, such as a list of examples that nobody has stacked.

    Example:
        >>> list(named((torch.zeros(2, 5, 1), torch.zeros(2))))
        ['x', 'y']
    """
    if isinstance(batch, Mapping):
        return dict(batch)
    several = isinstance(batch, tuple | list) and len(batch) > 0
    if several and isinstance(batch[0], Mapping | tuple | list):  # type: ignore[index]
        raise _unstacked(f"a list of {len(batch)} examples")  # type: ignore[arg-type]
    if several and len(batch) <= 3:  # type: ignore[arg-type]
        return dict(zip(("x", "y", "lengths"), batch, strict=False))  # type: ignore[call-overload]
    if several and all(isinstance(v, Tensor | np.ndarray) for v in batch):  # type: ignore[attr-defined]
        raise _unstacked(f"{len(batch)} arrays")  # type: ignore[arg-type]
    raise LayoutError(
        "a plan collates batches",
        got=type(batch).__name__,
        expected="a Batch, a dict of tensors, or (x, y) or (x, y, lengths)",
    )


def _unstacked(got: str) -> LayoutError:
    return LayoutError(
        "a plan collates a batch that is stacked",
        got=got,
        expected="a Batch, a dict of tensors, or (x, y) or (x, y, lengths)",
        hint="StepBatches(data, plan, collate=...) or SubsamplingCollator(timetable, collate) for "
        "a DataLoader, or torch.utils.data.default_collate(examples) first",
    )


def input_name(given: Mapping[str, Any]) -> str:
    """Return under which name the input stands.

    Raises:
        LayoutError: If there is none.
    """
    name = next((n for n in INPUTS if given.get(n) is not None), None)
    if name is None:
        raise LayoutError(
            "the batch has no input that is known",
            got=", ".join(map(repr, given)) or "nothing",
            expected=f"one of {', '.join(INPUTS)}",
        )
    return name


def tensor_of(name: str, value: Any) -> Tensor:
    """Return an array, or a list of numbers, as a tensor.

    Raises:
        LayoutError: If it is none.
    """
    if isinstance(value, Tensor):
        return value
    try:
        return torch.as_tensor(np.asarray(value))
    except (TypeError, ValueError, RuntimeError) as error:
        raise LayoutError(
            f"{name!r} is no array of numbers", got=shown(value), expected="a tensor"
        ) from error


def check_values(x: Tensor, name: str = "x") -> None:
    """Check that an input has an axis of time with samples on it.

    Raises:
        LayoutError: If it has not.
    """
    if x.ndim < 2 or x.shape[1] < 1:
        raise LayoutError(
            f"the input {name!r} has no samples",
            got=f"shape {tuple(x.shape)}",
            expected="(batch, time, ...) with one sample or more",
        )


def check_mel_axis(given: Mapping[str, Any], name: str, x: Tensor) -> None:
    """Refuse `input_features` whose second axis looks like frequency bands, as Whisper's.

    Raises:
        LayoutError: If it does, and no mask or lengths say that it is time.
    """
    said = any(given.get(n) is not None for n in (MASK, "lengths", "times"))
    if name == "input_features" and x.ndim == 3 and x.shape[1] < x.shape[2] and not said:
        raise LayoutError(
            "the second axis of 'input_features' looks like frequency bands, and not like time",
            got=f"shape {tuple(x.shape)}",
            expected="(batch, time, feature)",
            hint="an attention_mask (batch, time), if it is time; a network that takes (batch, "
            "feature, time), as Whisper does, needs all of its samples",
        )


def along_time(name: str, value: Any, x: Tensor) -> Tensor:
    """Return what stands along the time of an input, one row for each of its.

    Raises:
        LayoutError: If it has another length, or another number of rows.
    """
    out = tensor_of(name, value)
    if out.ndim > 1 and tuple(out.shape[:2]) == (1, x.shape[1]):
        out = out.expand(len(x), *out.shape[1:])
    if out.ndim < 2 or out.shape[:2] != x.shape[:2]:
        raise LayoutError(
            f"{name!r} does not stand along the time of the input",
            got=f"shape {tuple(out.shape)} beside {tuple(x.shape)}",
            expected=f"({len(x)}, {x.shape[1]}, ...)",
            hint="per_step=False for one target a sequence" if name in TARGETS else None,
        )
    return out


def along_names(along: str | Iterable[str]) -> tuple[str, ...]:
    """Return names as a tuple, one name by itself as well.

    Example:
        >>> along_names("gaps"), along_names(["gaps", "pitch"])
        (('gaps',), ('gaps', 'pitch'))
    """
    return (along,) if isinstance(along, str) else tuple(along)


def followers(
    given: Mapping[str, Any], along: str | Iterable[str], per_step: bool | None
) -> list[str]:
    """Return the names that follow the samples of the input by the target's rule.

    Raises:
        ConfigError: If a name of `along` is not in the batch.
    """
    further = along_names(along)
    for name in further:
        if name not in given:
            raise ConfigError(
                f"along={name!r} is not in the batch", expected=", ".join(map(repr, given))
            )
    targets = [n for n in TARGETS if n in given] if per_step else []
    known = [n for n in (*ALONG, *further) if given.get(n) is not None]
    names = dict.fromkeys([*known, *targets])
    return [n for n in names if n not in (*_OWN_RULE, input_name(given))]


def check_unknown(given: Mapping[str, Any], follow: Iterable[str]) -> None:
    """Refuse a name of which nobody says whether it has an axis of time.

    Raises:
        ConfigError: If there is one.
    """
    name = input_name(given)
    known = {name, *_OWN_RULE, *follow, *TARGETS}
    shape = tuple(given[name].shape)
    for other, value in given.items():
        array = isinstance(value, Tensor | np.ndarray)
        if other not in known and array and tuple(value.shape[:2]) == shape[:2]:
            raise ConfigError(
                f"whether {other!r} has an axis of time is not known",
                got=f"shape {tuple(value.shape)} beside an input of {shape}",
                hint=f"along=[{other!r}], or leaving it out of the batch",
            )


def check_targets(name: str, value: Any, x: Tensor) -> None:
    """Check that there is a target for each row of an input.

    Raises:
        LayoutError: If there is another number of them.
    """
    if isinstance(value, Tensor | np.ndarray) and (value.ndim == 0 or len(value) != len(x)):
        raise LayoutError(
            f"{name!r} has no target for each sequence",
            got=f"shape {tuple(value.shape)} beside {tuple(x.shape)}",
            expected=f"({len(x)}, ...)",
        )


def check_one_each(name: str, value: Any, x: Tensor) -> None:
    """Refuse a target of which nobody says whether it has an axis of time.

    Raises:
        ConfigError: If its first axes are those of the input.
    """
    array = isinstance(value, Tensor | np.ndarray)
    if array and value.ndim > 1 and tuple(value.shape[:2]) == tuple(x.shape[:2]):
        raise ConfigError(
            f"whether {name!r} has an axis of time is not known",
            got=f"shape {tuple(value.shape)} beside an input of {tuple(x.shape)}",
            hint="per_step=True for a target a sample, per_step=False for one a sequence",
        )


def told(given: Mapping[str, Any], stage_tau: float, batch: int) -> Any:
    """Return what the network is told: the batch's own step ratio, times that of the stage.

    Raises:
        ConfigError: If the batch's `tau` is no number above 0, or not one for each sequence.
    """
    own = given.get("tau")
    if own is None:
        return stage_tau
    array = isinstance(own, Tensor | np.ndarray)
    if not array and (isinstance(own, bool) or not isinstance(own, numbers.Real)):
        raise ConfigError("tau is a number", got=shown(own), expected="a step ratio above 0")
    ratios = tensor_of("tau", own)
    if ratios.ndim > 1 or (ratios.ndim == 1 and len(ratios) != batch):
        raise ConfigError(
            "tau is one for the batch, or one for each sequence",
            got=f"shape {tuple(ratios.shape)}",
            expected=f"() or ({batch},)",
            hint="times in the batch; of those that are left, times.diff(dim=1) over the trained "
            "step is the tau of each sample after the first",
        )
    if not bool(((ratios > 0) & ratios.isfinite()).all()):
        raise ConfigError("tau is a number", got=shown(own), expected="a step ratio above 0")
    return own * stage_tau if array else float(own) * stage_tau


def whole_number(name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """Return a whole number within bounds, numpy's as well.

    Raises:
        ConfigError: If it is none.

    Example:
        >>> whole_number("stage", np.int64(2), least=0)
        2
    """
    number = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    return whole(name, int(value) if number else value, least=least, most=most)
