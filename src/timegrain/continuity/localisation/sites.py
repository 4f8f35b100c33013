"""Which sequences in a model can be followed on all grids, and why others cannot."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64
from torch import Tensor

from timegrain.continuity.localisation.listening import OUTPUT, Heard, Key, listening
from timegrain.continuity.model.returned import Run
from timegrain.continuity.model.scripted import WITHIN, is_scripted
from timegrain.continuity.model.subject import Sample
from timegrain.continuity.model.tape import as_real

UNCALLED = "it is not called in a run, or not where hooks fire"


@dataclass(frozen=True, kw_only=True)
class Site:
    """A sequence that a module takes or returns.

    Args:
        key: Where it is heard.
        axis: The tensor's axis that is time.
        others: Its other sizes.
        shape: How to write its axes, such as `"1 time 64"`.
        cut: Whether it goes on beyond the input's last sample, and is cut there.
    """

    key: Key
    axis: int
    others: tuple[int, ...]
    shape: str
    cut: bool = False

    def read(
        self, tensor: Tensor | None, length: int
    ) -> Float64[np.ndarray, "time channel"] | None:
        """Return the sequence in a run of `length` samples; None if it is not there or not finite.

        All axes but time become channels: a run has one sequence.
        """
        if tensor is None or tensor.ndim != len(self.others) + 1:
            return None
        size = tensor.shape[self.axis]
        others = _without(tuple(tensor.shape), self.axis)
        if others != self.others or not (size > length if self.cut else size == length):
            return None
        rows = as_real(tensor.movedim(self.axis, 0)[:length])
        values = rows.reshape(length, -1).double().cpu().numpy()
        return values if np.isfinite(values).all() else None


@dataclass(frozen=True, kw_only=True)
class Sites:
    """What was found.

    Args:
        outputs: What can be followed, by module, in the order in which their calls end.
        inputs: The sequences that each of these modules takes.
        skipped: Other modules, and why.
    """

    outputs: dict[str, Site]
    inputs: dict[str, tuple[Site, ...]]
    skipped: dict[str, str]

    @property
    def keys(self) -> frozenset[Key]:
        """Where all of them are heard."""
        taken = (site for sites in self.inputs.values() for site in sites)
        return frozenset(site.key for site in (*self.outputs.values(), *taken))


def find_sites(run: Run, samples: tuple[Sample, Sample], named: Mapping[str, Any]) -> Sites:
    """Return which sequences modules take and return, in whatever layout.

    Args:
        run: The model on `(1, time, channel)`.
        samples: Inputs of two lengths, the shorter first.
        named: The modules to hear.
    """
    heard = []
    for x in samples:
        with listening(named) as one:
            run(x.copy())
        heard.append(one)
    lengths = (samples[0].shape[1], samples[1].shape[1])
    outputs: dict[str, Site] = {}
    inputs: dict[str, tuple[Site, ...]] = {}
    skipped = {n: WITHIN if is_scripted(module) else UNCALLED for n, module in named.items()}
    for name in heard[0].calls:
        found = _output(name, named[name], heard, lengths)
        if isinstance(found, str):
            skipped[name] = found
            continue
        del skipped[name]
        outputs[name] = found
        inputs[name] = tuple(_inputs(name, heard, lengths))
    return Sites(outputs=outputs, inputs=inputs, skipped=skipped)


def _output(name: str, module: Any, heard: list[Heard], lengths: tuple[int, int]) -> Site | str:
    calls = {one.calls.get(name, 0) for one in heard}
    if calls != {1}:
        return f"it is called {' or '.join(str(n) for n in sorted(calls))} times in a run"
    if name in heard[0].returned:
        return f"it returns a {heard[0].returned[name]} that no tensor begins"
    pair = [one.tensors.get((name, OUTPUT)) for one in heard]
    return _site((name, OUTPUT), pair, lengths, trailing=_pads_one_side(module))


def _inputs(name: str, heard: list[Heard], lengths: tuple[int, int]) -> Iterable[Site]:
    for key in heard[0].tensors:
        if key[0] == name and key[1] != OUTPUT:
            site = _site(key, [one.tensors.get(key) for one in heard], lengths, trailing=False)
            if isinstance(site, Site):
                yield site


def _site(
    key: Key, pair: list[Tensor | None], lengths: tuple[int, int], *, trailing: bool
) -> Site | str:
    short, long = pair
    if short is None or long is None:
        return "it returns whole numbers or truth values"
    if short.ndim != long.ndim:
        return "it returns another number of axes for more samples"
    sizes = list(zip(short.shape, long.shape, strict=True))
    varying = [axis for axis, (a, b) in enumerate(sizes) if a != b]
    if len(varying) != 1:
        return f"its output has {'no axis' if not varying else 'several axes'} of time"
    axis = varying[0]
    cut = trailing and all(size > n for size, n in zip(sizes[axis], lengths, strict=True))
    if sizes[axis] != lengths and not cut:
        return f"its output has {sizes[axis][0]} times for an input of {lengths[0]}"
    others = _without(tuple(short.shape), axis)
    if 0 in others:
        return "its output is empty"
    shape = " ".join("time" if i == axis else str(a) for i, (a, _) in enumerate(sizes))
    return Site(key=key, axis=axis, others=others, shape=shape, cut=cut)


def _pads_one_side(module: Any) -> bool:
    """Return whether a convolution pads both sides by all it reaches back: its caller cuts one."""
    sizes = [getattr(module, name, None) for name in ("kernel_size", "dilation", "padding")]
    if not all(isinstance(size, tuple) and len(size) == 1 for size in sizes):
        return False
    kernel, dilation, padding = (size[0] for size in sizes if size is not None)
    return bool(padding == dilation * (kernel - 1) > 0)


def _without(sizes: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*sizes[:axis], *sizes[axis + 1 :])
