"""Layers and networks by name, seeded without disturbing anyone else's random numbers."""

import contextlib
import difflib
import inspect
import math
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

import torch
from torch import nn

from timegrain.core.errors import ConfigError
from timegrain.models.backbone.block import Block
from timegrain.models.backbone.frame import Frame
from timegrain.models.backbone.network import Backbone
from timegrain.models.capacity import check_memory
from timegrain.models.layer import SequenceLayer
from timegrain.models.options import positive_int, seed_number, shown
from timegrain.models.registry import models

# A layer or block has at most some tens of times d_model^2 and the product of its counts (states,
# levels, taps) numbers: up to this size it is below a gigabyte or so, and need not be counted.
SMALL = 10**7
FLOAT32 = 4
_SET_APART = ("name", "seed", "d_model", "d_input", "d_output", "n_layers", "vocab", "head")
_SEEDING = threading.RLock()
_OF_NETWORK = ("dropout", "final_norm", "norm", "norm_position", "mix", "bidirectional")


def layer_options(name: str) -> dict[str, object]:
    """Return the options of the layer called `name` with their defaults.

    Args:
        name: A registered name.

    Raises:
        UnknownNameError: If there is no such layer.

    Example:
        >>> layer_options("s6")["discretization"]
        'euler_b'
    """
    parameters = inspect.signature(_layer_class(name)).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}


def check_layer_options(
    name: str, options: Mapping[str, object], *, others: Sequence[str] = ()
) -> None:
    """Check that a layer has the options of these names; their values are checked by building it.

    Args:
        name: A registered name.
        options: The options.
        others: Names that are right as well, such as those of the network.

    Raises:
        UnknownNameError: If there is no such layer.
        ConfigError: If the layer has no such option; the text lists those it has.

    Example:
        >>> check_layer_options("s4d", {"n_pairs": 16})
    """
    known = [*layer_options(name), *others]
    for option in options:
        if option not in known:
            near = difflib.get_close_matches(str(option), known, n=1, cutoff=0.5)
            set_apart = f"{option} beside the options, not among them"
            raise ConfigError(
                f"{name} has no option {option!r}",
                expected=f"one of {', '.join(sorted(known))}",
                hint=set_apart if option in _SET_APART else near[0] if near else None,
            )


def build_layer(
    name: str, d_model: int, *, seed: int | None = None, **options: object
) -> SequenceLayer:
    """Return a new layer.

    Args:
        name: A registered name.
        d_model: Channels.
        seed: Seeds the weights and leaves torch's global generator as it was; None draws them
            from the global generator. Threads may build at once, each from its own seed; one that
            draws from the global generator meanwhile, by `torch.randn` or dropout, draws from
            that seed and changes weights that are not drawn yet.
        options: Options of that layer; see `layer_options`.

    Raises:
        UnknownNameError: If there is no such layer.
        ConfigError: If the layer has no such option, or the value is outside its domain.
        ModelError: If it does not fit into memory.

    Example:
        >>> build_layer("s4d", d_model=8, n_pairs=4, seed=0).C.shape
        torch.Size([8, 4, 2])
    """
    make, resolved = _layer_class(name), _resolve(name, options)
    positive_int("d_model", d_model)
    if _is_large(d_model, resolved):
        numbers = _count(lambda: make(d_model, **resolved))
        what = f"{name} with d_model={shown(d_model)}"
        check_memory(what, FLOAT32 * numbers, lower=_lower(resolved))
    with _seeded(seed):
        return make(d_model, **resolved)


def build_model(
    name: str,
    *,
    d_output: int,
    d_model: int,
    n_layers: int,
    d_input: int | None = None,
    vocab: int | None = None,
    head: str = "mean",
    dropout: float = 0.0,
    final_norm: bool = False,
    norm: str = "layer",
    norm_position: str = "pre",
    mix: str = "glu",
    bidirectional: bool = False,
    seed: int | None = None,
    **options: object,
) -> Backbone:
    """Return a residual network of `n_layers` layers.

    Args:
        name: A registered layer name.
        d_output: Classes or values.
        d_model: Channels inside.
        n_layers: Blocks.
        d_input: Channels of a real input.
        vocab: Number of tokens, in the place of `d_input`.
        head: `"mean"`, `"last"` or `"step"`; the last gives `(batch, time, d_output)`.
        dropout: Share of numbers dropped at the end of each residual branch.
        final_norm: Whether a norm stands before the head.
        norm: `"layer"`; `"batch"`, over the valid samples of a batch; or `"rms"`.
        norm_position: `"pre"` or `"post"`: before each layer, or after its sum with its input.
        mix: What follows each layer: `"glu"`, `"mlp"` or `"none"`.
        bidirectional: Whether each block has a second layer that reads time backwards.
        seed: As in `build_layer`.
        options: Options of the layer.

    Raises:
        UnknownNameError: If there is no such layer.
        ConfigError: If there is no such option, or a value is outside its domain.
        ModelError: If it does not fit into memory.

    Example:
        >>> net = build_model("s4d", d_input=1, d_output=6, d_model=16, n_layers=2, seed=0)
        >>> net(torch.randn(3, 100, 1)).shape
        torch.Size([3, 6])
        >>> twin = build_model(**net.config)
        >>> all(torch.equal(a, b) for a, b in zip(net.parameters(), twin.parameters()))
        True
    """
    make, resolved = _layer_class(name), _resolve(name, options, others=_OF_NETWORK)
    frame = Frame(
        d_input=d_input,
        vocab=vocab,
        d_output=d_output,
        d_model=d_model,
        n_layers=n_layers,
        head=head,
        dropout=dropout,
        final_norm=final_norm,
        norm=norm,
        norm_position=norm_position,
        mix=mix,
        bidirectional=bidirectional,
    )
    config = {"name": name, **asdict(frame), "seed": seed, **resolved}
    _check_network(name, frame, make, resolved)
    with _seeded(seed):
        return Backbone(lambda: make(d_model, **resolved), frame, config=config)


def _layer_class(name: str) -> type[Any]:
    if not isinstance(name, str):
        raise ConfigError(
            "a layer is asked for by name",
            got=shown(name),
            expected=f"one of {', '.join(models.names())}",
        )
    return cast("type[Any]", models.load(name))


def _resolve(
    name: str, options: Mapping[str, object], *, others: Sequence[str] = ()
) -> dict[str, Any]:
    """Return every option of the layer: defaults are stored too, so that they may change later."""
    check_layer_options(name, options, others=others)
    return {**layer_options(name), **options}


def _check_network(
    name: str, frame: Frame, make: type[Any], resolved: Mapping[str, object]
) -> None:
    ends = frame.d_model * ((frame.vocab or frame.d_input or 0) + frame.d_output)
    if not _is_large(frame.d_model, resolved, frame.n_layers) and ends <= SMALL:
        return
    block = _count(lambda: Block.of(lambda: make(frame.d_model, **resolved), frame))
    entry = "d_input" if frame.vocab is None else "vocab"
    sizes = ("d_model", "n_layers", entry, "d_output")
    check_memory(
        f"{name} with {', '.join(f'{size}={shown(getattr(frame, size))}' for size in sizes)}",
        FLOAT32 * (frame.n_layers * block + ends),
        lower=f"{entry}, n_layers, {_lower(resolved)}",
    )


def _is_large(d_model: int, resolved: Mapping[str, object], n_layers: int = 1) -> bool:
    counts = [v for v in resolved.values() if isinstance(v, int) and not isinstance(v, bool)]
    return n_layers * d_model * d_model * math.prod(max(v, 1) for v in counts) > SMALL


def _lower(resolved: Mapping[str, object]) -> str:
    counts = [k for k, v in resolved.items() if isinstance(v, int) and not isinstance(v, bool)]
    return " or ".join(["d_model", *counts])


def _count(make: Callable[[], nn.Module]) -> int:
    """Return how many numbers a module holds, without making them."""
    try:
        with torch.device("meta"):
            module = make()
    except (RuntimeError, TypeError, OverflowError):  # torch cannot even write down so large a size
        return sys.maxsize
    return sum(p.numel() for p in module.parameters())


@contextlib.contextmanager
def _seeded(seed: int | None) -> Iterator[None]:
    if seed is None:
        yield
        return
    seed_number(seed)
    # The generator is the process's: a thread that seeds it waits until another has put it back.
    with _SEEDING, torch.random.fork_rng(devices=[]):
        # torch.manual_seed would also reseed every accelerator, which the fork does not restore.
        torch.default_generator.manual_seed(seed)
        yield
