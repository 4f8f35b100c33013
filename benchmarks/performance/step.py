"""Where the time of a training step goes: mixers, linear layers, and everything else.

Mixers and linear layers are run once more by themselves, forward and backward, on the inputs that
they have in the step; what the whole step takes beyond that is outside: norms, activations,
residuals, pooling, the loss, the optimiser, and Python. Of these GELU and the gated sum, which are
passes over as much memory as a linear layer's, are run by themselves too.
"""

import torch

from performance.rounds import Section, alone, time_rounds, training, within
from timegrain.kernels.glu.glu_sum import glu_sum
from timegrain.models import SequenceLayer, build_model
from timegrain.models.backbone.block import Block
from timegrain.training.optimise import make_optimiser
from timegrain.training.trainer.mover import Mover

LAYERS = ("s6", "s4d")
WIDER = 128  # the same step at this width: linear layers grow with its square, passes do not
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
        """Return functions that run all mixers, linear layers outside of them, and gates, alone."""
        mixers = [m for m in self.model.modules() if isinstance(m, SequenceLayer)]
        inside = {id(part) for mixer in mixers for part in mixer.modules()}
        linear = [
            m
            for m in self.model.modules()
            if isinstance(m, torch.nn.Linear) and id(m) not in inside
        ]
        blocks = [m for m in self.model.modules() if isinstance(m, Block)]
        calls = {}

        def remember(module, args, y):
            calls[id(module)] = (module, args[0], y)

        hooks = [m.register_forward_hook(remember) for m in (*mixers, *linear, *blocks)]
        self()
        for hook in hooks:
            hook.remove()
        unseen = [type(m).__name__ for m in (*mixers, *linear, *blocks) if id(m) not in calls]
        if unseen:
            raise SystemExit(f"the network does not call its {unseen}: nothing to time")
        gates = [
            _gate(calls[id(b)][1], calls[id(b.mixer)][2], calls[id(b.gate)][2]) for b in blocks
        ]
        groups = [[_module(*calls[id(m)]) for m in group] for group in (mixers, linear)]
        return tuple(_together(runs) for runs in (*groups, gates))


def _module(module, given, found):
    x = given.detach().requires_grad_(given.requires_grad)
    tensors = [*module.parameters(), *([x] if x.requires_grad else [])]
    return training(lambda: module(x), tensors, torch.randn_like(found))


def _gate(h, mixed, z):
    """Return a function that runs GELU and the gated sum of a block, whose linear layer is not."""
    h, mixed, z = (t.detach().requires_grad_() for t in (h, mixed, z))
    upstream = torch.randn_like(h), torch.randn_like(mixed)
    gelu = training(lambda: torch.nn.functional.gelu(mixed), [mixed], upstream[1])
    return _together([gelu, training(lambda: glu_sum(h, z), [h, z], upstream[0])])


def _together(runs):
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
        "optimiser, Python. GELU and the gated sums, a part of it, are run alone as well. The same "
        f"at width {WIDER}, where linear layers weigh more; the target is that of width 64.",
    )
    for layer in LAYERS:
        section.rows += _rows(Step(layer, **sizes), layer, settings.rounds, target=25)
    wider = 16 if settings.quick else WIDER
    for layer in LAYERS:
        step = Step(layer, **{**sizes, "d": wider})
        section.rows += _rows(step, f"{layer}, width {wider}", settings.rounds)
    return section


def _rows(step, name, rounds, *, target=None):
    names = ("step", "mixers", "linear", "gates")
    runs = dict(zip(names, map(_often, (step, *step.parts())), strict=True))
    seconds = time_rounds(runs, rounds)
    parts = list(zip(*seconds.values(), strict=True))
    return [
        alone(f"{name}: step", [s / TIMES for s in seconds["step"]]),
        within(f"{name}: mixers", [100 * m / s for s, m, *_ in parts], "%"),
        within(f"{name}: linear layers", [100 * n / s for s, _, n, _ in parts], "%"),
        within(f"{name}: outside", [_outside(*part) for part in parts], "%", high=target),
        within(f"{name}: GELU and gated sums", [100 * g / s for s, *_, g in parts], "%"),
    ]


def _outside(step, mixers, linear, _):
    return 100 * (step - mixers - linear) / step


def _often(run):
    def several():
        for _ in range(TIMES):
            run()

    return several
