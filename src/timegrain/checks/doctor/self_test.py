"""Ten seconds in which kernels, layers and a training have to give what is known beforehand."""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from timegrain.checks.doctor.backends import compiled_kernels
from timegrain.checks.doctor.fact import BROKEN, Fact
from timegrain.core.errors import TimegrainError
from timegrain.data.units import plural

GROUP = "self-test"
SAMPLES = 1000
FINER = 0.01  # the step Delta of both layers: what a rule of order 1 may be off by
NEAR = 1e-4  # float32 through a thousand updates, relative


def self_test() -> Iterator[Fact]:
    """Yield whether each part gives what it has to, with the time it took."""
    for name, test in TESTS.items():
        begun, before = time.perf_counter(), compiled_kernels()
        try:
            said, works = test()
        except (TimegrainError, RuntimeError, ImportError, OSError, ValueError) as error:
            said, works = (str(error).splitlines() or [type(error).__name__])[0], False
        took = f"{time.perf_counter() - begun:.1f} s"
        compiled = compiled_kernels() - before
        if compiled:
            took += f", {compiled} {plural('kernel', compiled)} compiled in it, once"
        yield Fact(
            group=GROUP,
            name=name,
            value=f"{said} ({took})",
            verdict="fine" if works else BROKEN,
            advice="" if works else "installing timegrain and its packages again",
        )


def kernel_test() -> tuple[str, bool]:
    """Compare the selective scan, forward and backward, with its plain loop."""
    from timegrain.kernels import selective_scan

    found = []
    for backend in ("auto", "reference"):
        random = torch.Generator().manual_seed(0)
        u, delta, A, B, C = (
            torch.randn(shape, generator=random)
            for shape in ((2, 48, 6), (2, 48, 6), (6, 4), (2, 48, 4), (2, 48, 4))
        )
        inputs = [u, delta.exp() / 10, -A.exp(), B, C]
        for tensor in inputs:
            tensor.requires_grad_()
        y = selective_scan(*inputs, backend=backend)
        found.append([y, *torch.autograd.grad(y.square().sum(), inputs)])
    apart = max(_gap(one, other) for one, other in zip(*found, strict=True))
    return f"selective scan {apart:.1e} from its plain loop, gradients too", apart < NEAR


@torch.no_grad()
def s4d_test() -> tuple[str, bool]:
    """Let one mode of S4D charge on a constant input.

    Math:
        `x_k = 2 (1 - exp(-Delta (k + 1) / 2))` for `lambda = -1/2`; `y = x` with `C = 1/2`.
    """
    from timegrain.models import build_layer

    layer = build_layer("s4d", d_model=1, seed=0, n_pairs=1, skip=False)
    layer.log_dt.fill_(np.log(0.01))
    layer.log_decay.fill_(np.log(0.5))
    layer.frequency.zero_()
    layer.C.copy_(torch.tensor([0.5, 0.0]))
    k = torch.arange(1, SAMPLES + 1)
    expected = 2 * (1 - torch.exp(-0.01 * k.double() / 2))
    return _step_response(layer, expected)


@torch.no_grad()
def s6_test() -> tuple[str, bool]:
    """Let one state of S6 charge on a constant input, with `Delta = 0.01`, `A = -1`, `B = C = 1`.

    Math:
        `y_k = Delta (1 - exp(-Delta (k + 1))) / (1 - exp(-Delta))`.
    """
    from timegrain.models import build_layer

    layer = build_layer("s6", d_model=1, seed=0, n_state=1, skip=False)
    layer.x_proj.weight.copy_(torch.tensor([[0.0], [1.0], [1.0]]))
    layer.dt_proj.bias.fill_(np.log(np.expm1(0.01)))
    k = torch.arange(1, SAMPLES + 1).double()
    expected = 0.01 * (1 - torch.exp(-0.01 * k)) / -np.expm1(-0.01)
    return _step_response(layer, expected)


def training_test() -> tuple[str, bool]:
    """Read a file of two kinds of waves, train on it for a few epochs, and name the test part."""
    from timegrain import build_model, load_task, train

    random = np.random.default_rng(0)
    y = np.arange(64) % 2
    phase = random.uniform(0, 2 * np.pi, (64, 1))
    x = np.sin(2 * np.pi * np.arange(48) * (1 + 3 * y[:, None]) / 48 + phase)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "waves.npz"
        np.savez(file, x=(x + random.normal(scale=0.1, size=x.shape))[..., None], y=y)
        task = load_task(file, key="x", target="y")
    net = build_model("s4d", d_input=1, d_output=2, d_model=8, n_layers=1, seed=0)
    run = train(net, task, stages="2:4,1:4", lr=0.03, seed=0)
    return f"accuracy {run.score:.2f} on two kinds of waves", run.score >= 0.9


def _step_response(layer: torch.nn.Module, expected: Tensor) -> tuple[str, bool]:
    ones = torch.ones(1, SAMPLES, 1)
    y = layer(ones)[0, :, 0]
    halves = layer(torch.ones(1, 2 * SAMPLES, 1), 0.5)[0, 1::2, 0]
    apart = _gap(y, expected)
    finer = _gap(halves, expected)
    # Delta B of s6 is not exact: of order tau on the finer grid, where Delta = 0.01
    said = f"{apart:.1e} from the formula (below {NEAR:.0e}); on a grid twice as fine {finer:.1e} "
    said += f"(below {FINER:g}: a rule of order 1 may be off by Delta)"
    return said, apart < NEAR and finer < FINER


def _gap(one: Tensor, other: Tensor) -> float:
    apart = (one.double() - other.double()).abs().max() / other.double().abs().max()
    return float(apart.detach())


TESTS: dict[str, Callable[[], tuple[str, bool]]] = {
    "kernel": kernel_test,
    "s4d": s4d_test,
    "s6": s6_test,
    "training": training_test,
}
