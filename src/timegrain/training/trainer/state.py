"""Everything that a training changes, so that it can be left after any step and resumed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, runtime_checkable

import torch
from torch import nn

from timegrain.training.plan.walk import Walk
from timegrain.training.run import EpochRow
from timegrain.training.score import device_of
from timegrain.training.trainer.network_state import network_state, set_network_state


@runtime_checkable
class Stateful(Protocol):
    """Something that changes in the course of a training, such as the scale of half precision."""

    def state_dict(self) -> dict[str, Any]:
        """Return numbers, texts and tensors in dicts and lists."""
        ...

    def load_state_dict(self, state: dict[str, Any], /) -> object:
        """Take over what `state_dict` returned."""
        ...


@dataclass(kw_only=True, eq=False)
class TrainingState:
    """The state of one training, between two steps.

    Args:
        model: The network.
        optimiser: Moves its weights; the rates follow from the position.
        walk: The position: stage, epoch and step, with the generator of orders and phases.
        seconds: Training time so far.
        lost: Sum of the losses over the sequences seen in the epoch under way.
        history: Epochs that were scored.
        skipped: Epochs that were left out since their stage no longer got better.
        extras: What else is resumed, by name.
        base_rates: Learning rate of each group of parameters, before the factor of the step.
    """

    model: nn.Module
    optimiser: torch.optim.Optimizer
    walk: Walk
    seconds: float = 0.0
    lost: float = 0.0
    history: list[EpochRow] = field(default_factory=list)
    skipped: int = 0
    extras: dict[str, Stateful] = field(default_factory=dict)
    base_rates: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.base_rates = tuple(group["lr"] for group in self.optimiser.param_groups)

    @property
    def steps(self) -> int:
        """Steps done."""
        return self.walk.number

    @property
    def finished(self) -> bool:
        """Whether nothing is left to train."""
        return self.walk.epoch == len(self.walk.course.epochs)

    @property
    def unscored(self) -> bool:
        """Whether an epoch has ended whose score is still to be taken."""
        return self.walk.epoch - self.skipped > len(self.history)

    def state_dict(self) -> dict[str, Any]:
        """Return the state as numbers, texts and tensors; the tensors are those in use."""
        return {
            "model": network_state(self.model),
            "optimiser": self.optimiser.state_dict(),
            "walk": self.walk.state_dict(),
            "generators": _generators(self.model),
            "seconds": self.seconds,
            "lost": self.lost,
            "history": [asdict(row) for row in self.history],
            "skipped": self.skipped,
            "extras": {name: extra.state_dict() for name, extra in self.extras.items()},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what `state_dict` of the same training returned."""
        set_network_state(self.model, state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.walk.load_state_dict(state["walk"])
        _set_generators(self.model, state["generators"])
        self.seconds, self.lost = float(state["seconds"]), float(state["lost"])
        self.history = [EpochRow(**row) for row in state["history"]]
        self.skipped = int(state["skipped"])
        for name, extra in self.extras.items():
            extra.load_state_dict(state["extras"][name])


def _generators(model: nn.Module) -> dict[str, Any]:
    """Return the states of the generators that dropout draws from."""
    device = device_of(model)
    found = {"cpu": torch.get_rng_state()}
    return found | ({"cuda": torch.cuda.get_rng_state(device)} if device.type == "cuda" else {})


def _set_generators(model: nn.Module, states: Mapping[str, Any]) -> None:
    torch.set_rng_state(states["cpu"])
    device = device_of(model)
    if "cuda" in states and device.type == "cuda":
        torch.cuda.set_rng_state(states["cuda"], device)
