"""What the registered layers are, in a few facts found by building and running them."""

from dataclasses import dataclass

import torch

from timegrain.core.errors import ConfigError
from timegrain.kernels.dispatch import recorded
from timegrain.models.build import build_layer, layer_options
from timegrain.models.discretize import DISCRETIZATIONS
from timegrain.models.registry import models

BATCH, TIME, WIDTH = 4, 32, 256
"""Of the input that kernels run on: as many numbers as those with a least size ask for."""


@dataclass(frozen=True, kw_only=True)
class DeclaredOrder:
    """An order of convergence.

    Args:
        discretization: What the layer is asked for; None where there is nothing to choose.
        order: What it then declares.
    """

    discretization: str | None
    order: int


@dataclass(frozen=True, kw_only=True)
class RanOn:
    """Which backend a kernel ran on.

    Args:
        kernel: The operation.
        backend: The implementation.
        reason: Why that one.
    """

    kernel: str
    backend: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class LayerCard:
    """A registered layer.

    Args:
        name: The name people type.
        summary: One line.
        d_model: Channels it was built with.
        parameters: Numbers it learns.
        takes_tau: Whether it can be told its step.
        steps: Whether it can take one sample at a time.
        orders: Declared order of convergence by discretisation, the default first.
        backends: What its kernels ran on here, forward and backward; empty where it is made of
            torch's own operations.
    """

    name: str
    summary: str
    d_model: int
    parameters: int
    takes_tau: bool
    steps: bool
    orders: tuple[DeclaredOrder, ...]
    backends: tuple[RanOn, ...]


def layer_card(name: str, *, d_model: int = 64) -> LayerCard:
    """Return the facts about a registered layer, with its default options.

    Args:
        name: A registered name.
        d_model: Channels.

    Raises:
        UnknownNameError: If there is no such layer.

    Example:
        >>> layer_card("gru", d_model=4).parameters
        120
    """
    layer = build_layer(name, d_model=d_model, seed=0)
    orders = [
        DeclaredOrder(discretization=each, order=_order(name, each))
        for each in discretizations(name)
    ]
    return LayerCard(
        name=name,
        summary=models.entry(name).summary,
        d_model=d_model,
        parameters=sum(p.numel() for p in layer.parameters()),
        takes_tau=layer.takes_tau,
        steps=layer.steps,
        orders=tuple(orders) or (DeclaredOrder(discretization=None, order=layer.order),),
        backends=_backends(name),
    )


def discretizations(name: str, *, d_model: int = 8) -> list[str]:
    """Return the discretisations that a layer takes, its default first; none if it has no choice.

    Args:
        name: A registered name.
        d_model: Channels of the layers that are built to ask.

    Example:
        >>> discretizations("s6")
        ['euler_b', 'zoh']
    """
    default = layer_options(name).get("discretization")
    if default is None:
        return []
    taken = [d for d in DISCRETIZATIONS if _takes(name, d, d_model)]
    return [d for d in taken if d == default] + [d for d in taken if d != default]


def _takes(name: str, discretization: str, d_model: int) -> bool:
    try:
        build_layer(name, d_model=d_model, seed=0, discretization=discretization)
    except ConfigError:
        return False
    return True


def _order(name: str, discretization: str) -> int:
    return build_layer(name, d_model=8, seed=0, discretization=discretization).order


def _backends(name: str) -> tuple[RanOn, ...]:
    layer = build_layer(name, d_model=WIDTH, seed=0)
    x = torch.ones(BATCH, TIME, WIDTH, requires_grad=True)
    with recorded() as choices:
        layer(x).sum().backward()
        layer(x, torch.ones(BATCH, TIME)).sum().backward()
    return tuple(
        RanOn(kernel=kernel, backend=choice.backend, reason=choice.reason)
        for kernel, choice in sorted(choices.items())
    )
