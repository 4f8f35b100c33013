"""Where the time of a training step goes: mixers, linear layers, and everything else.

Mixers and linear layers are run once more by themselves, forward and backward, on the inputs that
they have in the step; what the whole step takes beyond that is outside: norms, activations,
residuals, pooling, the loss, the optimiser, and Python.
"""

import torch

from performance.rounds import Section, alone, time_rounds, training, within
from timegrain.models import SequenceLayer, build_model
from timegrain.training.optimise import make_optimiser
from timegrain.training.trainer.mover import Mover

LAYERS = ("s6", "s4d")
TIMES = 5  # steps a round


class Step:
    """A step of training on a network of two layers, as `train` takes it."""

    def __init__(self, layer, *, batch=16, length=427, d=64):
        self.model = build_model(layer, d_input=1, d_output=6, d_model=d, n_layers=2, seed=0)
        generator = torch.Generator().manual_seed(0)
        self.x = torch.randn(batch, length, 1, generator=generator)
        self.y = torch.randint(6, (batch,), generator=generator)
        optimiser = make_optimiser(self.model, lr=1e-3, dynamics_lr=1e-3, weight_decay=0.01)
        self.rates = [group["lr"] for group in optimiser.param_groups]
        self.mover = Mover(optimiser, 1.0)

    def __call__(self):
        self.mover.begin(self.rates)
        torch.nn.functional.cross_entropy(self.model(self.x), self.y).backward()
        self.mover.move()

    def parts(self):
        """Return functions that run all mixers, and all linear layers outside of them, alone."""
        mixers = [m for m in self.model.modules() if isinstance(m, SequenceLayer)]
        inside = {id(part) for mixer in mixers for part in mixer.modules()}
        linear = [
            m
            for m in self.model.modules()
            if isinstance(m, torch.nn.Linear) and id(m) not in inside
        ]
        calls = {}

        def remember(module, args, y):
            calls[id(module)] = (module, args[0], y)

        hooks = [m.register_forward_hook(remember) for m in (*mixers, *linear)]
        self()
        for hook in hooks:
            hook.remove()
        unseen = [type(m).__name__ for m in (*mixers, *linear) if id(m) not in calls]
        if unseen:
            raise SystemExit(f"the network does not call its {unseen}: nothing to time")
        return tuple(_together([calls[id(m)] for m in group]) for group in (mixers, linear))


def _together(calls):
    runs = []
    for module, given, found in calls:
        x = given.detach().requires_grad_(given.requires_grad)
        tensors = [*module.parameters(), *([x] if x.requires_grad else [])]
        upstream = torch.randn_like(found)
        runs.append(training(lambda module=module, x=x: module(x), tensors, upstream))

    def run():
        for part in runs:
            part()

    return run


def measure(settings):
    sizes = {"batch": 2, "length": 32, "d": 8} if settings.quick else {}
    section = Section(
        title="A training step",
        text="Two layers of 64, batches of 16, 427 samples: forward, loss, backward, clipping and "
        "AdamW. *Outside* is what the step takes beyond its mixers and its linear layers, each run "
        "alone on the inputs it has there: norms, activations, residuals, pooling, loss, "
        "optimiser, Python.",
    )
    for layer in LAYERS:
        step = Step(layer, **sizes)
        mixers, linear = step.parts()
        runs = {"step": _often(step), "mixers": _often(mixers), "linear": _often(linear)}
        seconds = time_rounds(runs, settings.rounds)
        parts = list(zip(*seconds.values(), strict=True))
        section.rows += [
            alone(f"{layer}: step", [s / TIMES for s in seconds["step"]]),
            within(f"{layer}: mixers", [100 * m / s for s, m, _ in parts], "%"),
            within(f"{layer}: linear layers", [100 * n / s for s, _, n in parts], "%"),
            within(f"{layer}: outside", [100 * (s - m - n) / s for s, m, n in parts], "%", high=25),
        ]
    return section


def _often(run):
    def several():
        for _ in range(TIMES):
            run()

    return several
