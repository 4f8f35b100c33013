"""Layers and networks by name, seeded without disturbing anyone else's random numbers."""

import contextlib
import difflib
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, cast

import torch

from timegrain.core.errors import ConfigError
from timegrain.models.backbone import Backbone, Frame
from timegrain.models.layer import SequenceLayer
from timegrain.models.registry import models


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


def build_layer(
    name: str, *, d_model: int, seed: int | None = None, **options: object
) -> SequenceLayer:
    """Return a new layer.

    Args:
        name: A registered name.
        d_model: Channels.
        seed: Seeds the weights and leaves torch's global generator as it was; None draws them
            from the global generator.
        options: Options of that layer; see `layer_options`.

    Raises:
        UnknownNameError: If there is no such layer.
        ConfigError: If the layer has no such option, or the value is outside its domain.

    Example:
        >>> build_layer("s4d", d_model=8, n_pairs=4, seed=0).C.shape
        torch.Size([8, 4, 2])
    """
    make, resolved = _layer_class(name), _resolve(name, options)
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
        dropout: Share of channels dropped in each block.
        final_norm: Whether a LayerNorm stands before the head.
        seed: As in `build_layer`.
        options: Options of the layer.

    Raises:
        UnknownNameError: If there is no such layer.
        ConfigError: If there is no such option, or a value is outside its domain.

    Example:
        >>> net = build_model("s4d", d_input=1, d_output=6, d_model=16, n_layers=2, seed=0)
        >>> net(torch.randn(3, 100, 1)).shape
        torch.Size([3, 6])
        >>> twin = build_model(**net.config)
        >>> all(torch.equal(a, b) for a, b in zip(net.parameters(), twin.parameters()))
        True
    """
    make, resolved = _layer_class(name), _resolve(name, options)
    frame = Frame(
        d_input=d_input,
        vocab=vocab,
        d_output=d_output,
        d_model=d_model,
        n_layers=n_layers,
        head=head,
        dropout=dropout,
        final_norm=final_norm,
    )
    config = {"name": name, **asdict(frame), "seed": seed, **resolved}
    with _seeded(seed):
        return Backbone(lambda: make(d_model, **resolved), frame, config=config)


def _layer_class(name: str) -> type[Any]:
    return cast("type[Any]", models.load(name))


def _resolve(name: str, options: Mapping[str, object]) -> dict[str, Any]:
    """Return every option of the layer: defaults are stored too, so that they may change later."""
    known = layer_options(name)
    for option in options:
        if option not in known:
            near = difflib.get_close_matches(option, known, n=1, cutoff=0.5)
            raise ConfigError(
                f"{name} has no option {option!r}",
                expected=f"one of {', '.join(sorted(known))}",
                hint=near[0] if near else None,
            )
    return {**known, **options}


@contextlib.contextmanager
def _seeded(seed: int | None) -> Iterator[None]:
    if seed is None:
        yield
        return
    with torch.random.fork_rng(devices=[]):
        # torch.manual_seed would also reseed every accelerator, which the fork does not restore.
        torch.default_generator.manual_seed(seed)
        yield
