"""Batches of other people's loops as a stage of a plan sees them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from timegrain.core.errors import ConfigError
from timegrain.models.options import shown
from timegrain.training.batch import Batch, decimate
from timegrain.training.plan import named as names
from timegrain.training.plan.present import present
from timegrain.training.plan.stage import Stage


def collate(
    batch: Batch | Mapping[str, Any] | Sequence[Any],
    stage: Stage,
    *,
    generator: torch.Generator | None = None,
    offset: int | None = None,
    per_step: bool | None = None,
    along: str | Iterable[str] = (),
) -> Batch | dict[str, Any]:
    """Return a batch as a stage sees it; see `SubsamplingPlan.collate`.

    A dict is read by its names. The input is the first of `x`, `input_ids`, `inputs_embeds`,
    `input_values`, `values`, `input_features`, `(batch, time, ...)`; `lengths`, or an
    `attention_mask` that is padded on the right, says which samples exist. Other names of a
    dict with an axis of time follow by dropping samples, each at the sample its input stands for;
    with means, `times` are means, too, and `mask` is true where all samples were measured. What
    follows becomes a tensor; what is None stays so.

    Args:
        batch: The sequences.
        stage: The stage.
        generator: Of the phase.
        offset: The phase, in the place of a drawn one; in a batch of fewer samples, its last.
        per_step: Whether there is a target for every sample; None asks where a shape leaves it
            open.
        along: Further names with an axis of time after the first.

    Returns:
        A `Batch` for a `Batch`, else a dict that says `tau`: that of the batch, or 1, times that
        of the stage.

    Raises:
        LayoutError: If the input cannot be found, what belongs to it has another shape, or the
            mask is padded on the left.
        ConfigError: If an unknown name, or a target where `per_step` is None, may have an axis of
            time, or one of `along` is not there.
    """
    if isinstance(batch, Batch):
        batch = _checked(batch, stage)
        offset = _offset(batch.x, stage, generator, offset)
        return decimate(batch, stage.stride, offset=offset, decimator=stage.decimator)
    given = names.named(batch)
    name = names.input_name(given)
    x = given[name] = names.tensor_of(name, given[name])
    names.check_values(x, name)
    if stage.stride > 1:
        names.check_mel_axis(given, name, x)
    follow = names.followers(given, along, per_step)
    names.check_unknown(given, follow)
    for target in (n for n in names.TARGETS if n in given and n not in follow):
        names.check_targets(target, given[target], x)
        if per_step is None:
            names.check_one_each(target, given[target], x)
    lengths = present(given, x)
    whole = Batch(
        x=x,
        y=torch.empty(len(x)),
        lengths=lengths,
        times=_times(given, x, stage),
        mask=None if given.get("mask") is None else names.along_time("mask", given["mask"], x),
    )
    offset = _offset(x, stage, generator, offset)
    main = decimate(whole, stage.stride, offset=offset, decimator=stage.decimator)
    out = given | {name: main.x, "tau": names.told(given, stage.told, len(x))}
    if main.times is not None:
        out["times"] = main.times
    if whole.mask is not None and main.mask is not None:
        out["mask"] = main.mask.to(whole.mask.dtype)
    for other in follow:
        values = names.along_time(other, given[other], x)
        out[other] = _followed(values, whole, main, stage, offset)
    return out | _presence(given, main)


def numbered_stage(stages: Sequence[Stage], number: Any) -> Stage:
    """Return a stage by its number.

    Raises:
        ConfigError: If there is none.
    """
    return stages[names.whole_number("stage", number, least=0, most=len(stages) - 1)]


def _checked(batch: Batch, stage: Stage) -> Batch:
    """Return a batch whose parts fit together."""
    x = batch.x
    names.check_values(x)
    given = {"lengths": batch.lengths, "times": batch.times}
    names.check_targets("y", batch.y, x)
    return replace(
        batch,
        y=names.along_time("y", batch.y, x) if batch.per_step else batch.y,
        lengths=present(given, x),
        times=_times(given, x, stage),
        mask=None if batch.mask is None else names.along_time("mask", batch.mask, x),
    )


def _times(given: Mapping[str, Any], x: Tensor, stage: Stage) -> Tensor | None:
    if given.get("times") is None:
        return None
    times = names.along_time("times", given["times"], x)
    # instants are no symbols: counted ones have a mean as well
    averaged = stage.decimator == "mean" and not times.is_floating_point()
    return times.double() if averaged else times


def _followed(values: Tensor, whole: Batch, main: Batch, stage: Stage, offset: int) -> Tensor:
    """Return the values at the samples that are left; of a mean, at its centre."""
    centred = "mean" if stage.decimator == "mean" else "phase"
    blank = torch.zeros(*values.shape[:2], 1)
    beside = Batch(x=blank, y=values, lengths=whole.lengths, per_step=True)
    out = decimate(beside, stage.stride, offset=offset, decimator=centred).y
    if centred == "mean" and main.lengths is not None:
        # behind a sequence's end its padding stays, such as the -100 of a label
        padding = decimate(beside, stage.stride, offset=offset).y
        behind = torch.arange(padding.shape[1]) >= main.lengths[:, None]
        behind = behind.view(*behind.shape, *[1] * (padding.ndim - 2))
        out = torch.where(behind.to(padding.device), padding, out)
    return out


def _presence(given: Mapping[str, Any], main: Batch) -> dict[str, Tensor]:
    """Return the lengths and the attention mask of what is left, each where there was one."""
    out = {}
    time = main.x.shape[1]
    if given.get("lengths") is not None and main.lengths is not None:
        out["lengths"] = main.lengths.to(names.tensor_of("lengths", given["lengths"]))
    if given.get(names.MASK) is not None:
        mask = names.tensor_of(names.MASK, given[names.MASK])
        if main.lengths is None:
            out[names.MASK] = torch.ones_like(mask[:, :1]).expand(-1, time).clone()
        else:
            out[names.MASK] = (torch.arange(time) < main.lengths[:, None]).to(mask)
    return out


def _offset(x: Tensor, stage: Stage, generator: torch.Generator | None, given: Any) -> int:
    names.check_values(x)
    if given is None:
        return int(torch.randint(min(stage.stride, x.shape[1]), (1,), generator=generator))
    try:
        offset = names.whole_number("offset", given, least=0, most=stage.stride - 1)
    except ConfigError as error:
        raise ConfigError(
            "a phase is a whole number below the stride",
            got=f"offset={shown(given)}",
            expected=f"0..{stage.stride - 1}",
        ) from error
    # a walk draws for the longest of all sequences, and these may be shorter
    return min(offset, x.shape[1] - 1)
