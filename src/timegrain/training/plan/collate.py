"""Batches of other people's loops as a stage of a plan sees them."""

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.training.batch import Batch, decimate
from timegrain.training.plan.stage import Stage

INPUTS = ("x", "input_ids", "inputs_embeds", "input_values", "values", "input_features")
TARGETS = ("y", "labels", "label")
MASK = "attention_mask"
# besides the input and the mask, what tokenizers and time series give along time
ALONG = ("mask", "token_type_ids", "position_ids", "special_tokens_mask")


def collate(
    batch: Batch | Mapping[str, Tensor] | tuple[Tensor, ...] | list[Tensor],
    stage: Stage,
    *,
    generator: torch.Generator | None = None,
    offset: int | None = None,
    per_step: bool = False,
    along: Iterable[str] = (),
) -> Batch | dict[str, Any]:
    """Return a batch as a stage sees it; see `SubsamplingPlan.collate`.

    A dict is read by its names. The input is the first of `x`, `input_ids`, `inputs_embeds`,
    `input_values`, `values`, `input_features`, `(batch, time, ...)`; `lengths`, or an
    `attention_mask` that is padded on the right, says which samples exist. Other names of a
    dict with an axis of time follow by dropping samples, each at the sample its input stands for.

    Args:
        batch: The sequences.
        stage: The stage.
        generator: Of the phase.
        offset: The phase, in the place of a drawn one; in a batch of fewer samples, its last.
        per_step: Whether there is a target for every sample.
        along: Further names with an axis of time after the first.

    Returns:
        A `Batch` for a `Batch`, else a dict that says `tau`.

    Raises:
        LayoutError: If the input cannot be found, or the mask is padded on the left.
        ConfigError: If an unknown name may have an axis of time.
    """
    if isinstance(batch, Batch):
        return decimate(
            batch,
            stage.stride,
            offset=_offset(batch.x, stage, generator, offset),
            decimator=stage.decimator,
        )
    given = _named(batch)
    name = next((n for n in INPUTS if n in given), None)
    if name is None:
        raise LayoutError(
            "the batch has no input that is known",
            got=", ".join(map(repr, given)),
            expected=f"one of {', '.join(INPUTS)}",
        )
    x = given[name]
    targets = [n for n in TARGETS if n in given]
    follow = [n for n in (*ALONG, *along) if n in given]
    follow += targets if per_step else []
    _check_names(given, name, follow, targets)
    lengths = _lengths(given)
    offset = _offset(x, stage, generator, offset)
    whole = Batch(x=x, y=torch.empty(len(x)), lengths=lengths, times=given.get("times"))
    main = decimate(whole, stage.stride, offset=offset, decimator=stage.decimator)
    out: dict[str, Any] = dict(given) | {name: main.x, "tau": stage.told}
    if main.times is not None:
        out["times"] = main.times
    centred = "mean" if stage.decimator == "mean" else "phase"
    blank = torch.zeros(*x.shape[:2], 1)
    for other in follow:
        beside = Batch(x=blank, y=given[other], lengths=lengths, per_step=True)
        out[other] = decimate(beside, stage.stride, offset=offset, decimator=centred).y
        if centred == "mean" and main.lengths is not None:
            # behind a sequence's end its padding stays, such as the -100 of a label
            padding = decimate(beside, stage.stride, offset=offset).y
            behind = torch.arange(padding.shape[1]) >= main.lengths[:, None]
            behind = behind.view(*behind.shape, *[1] * (padding.ndim - 2))
            out[other] = torch.where(behind.to(padding.device), padding, out[other])
    if main.lengths is not None and "lengths" in given:
        out["lengths"] = main.lengths.to(given["lengths"].device)
    if main.lengths is not None and MASK in given:
        exists = torch.arange(main.x.shape[1]) < main.lengths[:, None]
        out[MASK] = exists.to(given[MASK])
    elif MASK in given:
        out[MASK] = torch.ones_like(given[MASK][:, :1]).expand(-1, main.x.shape[1]).clone()
    return out


def _named(batch: object) -> dict[str, Tensor]:
    if isinstance(batch, Mapping):
        return dict(batch)
    if isinstance(batch, tuple | list) and 1 <= len(batch) <= 3:
        return dict(zip(("x", "y", "lengths"), batch, strict=False))
    raise LayoutError(
        "a plan collates batches",
        got=type(batch).__name__,
        expected="a Batch, a dict of tensors, or (x, y) or (x, y, lengths)",
    )


def _offset(x: Tensor, stage: Stage, generator: torch.Generator | None, given: int | None) -> int:
    if given is None:
        return int(torch.randint(min(stage.stride, x.shape[1]), (1,), generator=generator))
    # a walk draws for the longest of all sequences, and these may be shorter
    return min(given, x.shape[1] - 1)


def _lengths(given: Mapping[str, Tensor]) -> Tensor | None:
    if "lengths" in given:
        return given["lengths"].cpu()
    if MASK not in given:
        return None
    mask = given[MASK].bool()
    lengths = mask.sum(1)
    right = torch.arange(mask.shape[1], device=mask.device) < lengths[:, None]
    if not torch.equal(mask, right) or not bool((lengths > 0).all()):
        raise LayoutError(
            "the attention mask is not padded on the right",
            expected="ones, then zeros, in every row",
            hint="padding_side='right' in the tokenizer",
        )
    return None if bool(mask.all()) else lengths.cpu()


def _check_names(
    given: Mapping[str, Tensor], name: str, follow: list[str], targets: list[str]
) -> None:
    known = {name, MASK, "lengths", "times", "tau", *follow, *targets}
    shape = given[name].shape[:2]
    for other, value in given.items():
        if other not in known and isinstance(value, Tensor) and value.shape[:2] == shape:
            raise ConfigError(
                f"whether {other!r} has an axis of time is not known",
                got=f"shape {tuple(value.shape)} beside an input of {tuple(given[name].shape)}",
                hint=f"along=[{other!r}], or leaving it out of the batch",
            )
