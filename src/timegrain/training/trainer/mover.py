"""From the gradients of a step to its weights, at the cost that small networks can bear."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


class Mover:
    """Clears gradients before a step, and clips them and moves the weights after it.

    For a fused AdamW on the CPU it does what `optimiser.step()` does, to the bit, without looking
    up anew what never changes: for two dozen small tensors that takes three times as long as the
    step. The optimiser's state stays its own, and may be saved and loaded at any time; hooks on its
    `step` are not called. All others are asked to step themselves.

    Args:
        optimiser: Of the weights.
        largest: Norm of all gradients together.
    """

    def __init__(self, optimiser: torch.optim.Optimizer, largest: float) -> None:
        self.optimiser, self.largest = optimiser, largest
        self.weights = [p for group in optimiser.param_groups for p in group["params"]]
        self._lean = _fused_on_cpu(optimiser)
        self._gathered: _Gathered | None = None

    def begin(self, rates: Sequence[float]) -> None:
        """Forget the gradients of the step before.

        Args:
            rates: Learning rate of each group of parameters in this step.
        """
        for group, rate in zip(self.optimiser.param_groups, rates, strict=True):
            group["lr"] = rate
        for parameter in self.weights:
            parameter.grad = None

    def move(self) -> None:
        """Move the weights by their gradients, clipped."""
        clip_gradients(self.weights, self.largest)
        if not self._lean or any(p.grad is None for p in self.weights):
            self.optimiser.step()
            return
        gathered = self._gathered
        if gathered is None or gathered.state is not self.optimiser.state:
            if len(self.optimiser.state) < len(self.weights):  # it has not moved yet
                self.optimiser.step()
                return
            gathered = self._gathered = _Gathered.of(self.optimiser)
        gathered.step()


@dataclass(frozen=True, kw_only=True, eq=False)
class _Gathered:
    """What a step of a fused AdamW works on.

    Args:
        state: The optimiser's, which loading replaces by another.
        count: Steps done, the memory of all that the state has.
        groups: Each group of parameters with its two moments and counts of steps.
    """

    state: Any
    count: Tensor
    groups: list[tuple[dict[str, Any], list[Tensor], list[Tensor], list[Tensor]]]

    @classmethod
    def of(cls, optimiser: torch.optim.Optimizer) -> "_Gathered":
        """Lay the counts of steps side by side, so that one operation counts them all."""
        state = optimiser.state
        own = [[state[p] for p in group["params"]] for group in optimiser.param_groups]
        members = [one for group in own for one in group]
        count = torch.stack([one["step"] for one in members])
        for one, place in zip(members, count.unbind(), strict=True):
            one["step"] = place
        groups = [
            (
                group,
                [one["exp_avg"] for one in states],
                [one["exp_avg_sq"] for one in states],
                [one["step"] for one in states],
            )
            for group, states in zip(optimiser.param_groups, own, strict=True)
        ]
        return cls(state=state, count=count, groups=groups)

    @torch.no_grad()
    def step(self) -> None:
        self.count.add_(1)
        for group, first, second, steps in self.groups:
            parameters = group["params"]
            torch._fused_adamw_(
                parameters,
                [p.grad for p in parameters],
                first,
                second,
                [],
                steps,
                lr=group["lr"],
                beta1=group["betas"][0],
                beta2=group["betas"][1],
                weight_decay=group["weight_decay"],
                eps=group["eps"],
                amsgrad=False,
                maximize=False,
            )


def _fused_on_cpu(optimiser: torch.optim.Optimizer) -> bool:
    """Return whether an optimiser is torch's fused AdamW on tensors of one kind on the CPU."""
    groups = optimiser.param_groups
    members = [p for group in groups for p in group["params"]]
    return (
        type(optimiser) is torch.optim.AdamW
        and all(g["fused"] and not (g["amsgrad"] or g["maximize"]) for g in groups)
        and {p.device.type for p in members} == {"cpu"}
        and len({p.dtype for p in members}) == 1
    )


def clip_gradients(parameters: Sequence[nn.Parameter], largest: float) -> None:
    """Scale gradients down to a norm, as `torch.nn.utils.clip_grad_norm_` does to the bit.

    A norm that is small enough is not followed by a product with 1.

    Args:
        parameters: Whose gradients.
        largest: Norm of all of them together.
    """
    gradients = [g for p in parameters if (g := p.grad) is not None]
    if not gradients:
        return
    alike = len({(g.device, g.dtype) for g in gradients}) == 1
    if alike:  # what torch does with each kind of tensors, without the looking for kinds
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
    else:
        norm = nn.utils.get_total_norm(gradients)
    number = float(norm)
    # torch adds 1e-6 before it divides; a norm that is not a number is handed on
    if number + 2e-6 <= largest * (1 - 1e-5):
        return
    if alike:
        torch._foreach_mul_(gradients, (largest / (norm + 1e-6)).clamp(max=1.0))
    else:
        nn.utils.clip_grads_with_norm_(parameters, largest, norm)
