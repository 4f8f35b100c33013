"""How gradients come about: at once, in parts, and in mixed precision."""

import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models.build import build_model
from timegrain.training.batch import Batch
from timegrain.training.objective import Objective
from timegrain.training.plan.settings import StepSettings
from timegrain.training.trainer.accumulation import AccumulatedGradient, answers
from timegrain.training.trainer.gradient import PlainGradient
from timegrain.training.trainer.precision import Precision, check_amp

OPTIONS = {"s4d": {"n_pairs": 4}, "s6": {"n_state": 4}, "gru": {}}
BATCH = 10


def network(name="s4d", head="mean"):
    return build_model(
        name, d_input=1, d_output=3, d_model=8, n_layers=1, head=head, seed=0, **OPTIONS[name]
    )


def objective():
    return Objective(target_kind="class", d_output=3, center=torch.zeros(3), scale=torch.ones(3))


def batch(*, per_step=False, ragged=True, dtype=torch.float64):
    random = torch.Generator().manual_seed(0)
    lengths = torch.randint(1, 31, (BATCH,), generator=random)
    return Batch(
        x=torch.randn(BATCH, 30, 1, generator=random, dtype=torch.float64).to(dtype),
        y=torch.randint(0, 3, (BATCH, 30) if per_step else (BATCH,), generator=random),
        lengths=lengths if ragged else None,
        per_step=per_step,
    )


def step(stride=1, place="input", decimator="phase"):
    return StepSettings(
        stage=0, stride=stride, tau=float(stride), decimator=decimator, place=place,
        batch_size=BATCH + 2,
    )  # fmt: skip


def gradient(rule, net, cases, settings, offset=0):
    net.zero_grad()
    loss = rule(cases, settings, offset)
    return loss, torch.cat([p.grad.flatten() for p in net.parameters()])


@pytest.mark.parametrize("name", ["s4d", "s6", "gru"])
@pytest.mark.parametrize("per_step", [False, True])
@pytest.mark.parametrize(
    ("settings", "offset"),
    [
        (step(), 0),
        (step(4), 3),
        (step(4, decimator="mean"), 2),
        (step(4, place="embedding"), 1),
    ],
    ids=["all", "phase", "mean", "embedding"],
)
def test_the_gradient_from_parts_is_that_of_the_whole_batch(name, per_step, settings, offset):
    net = network(name, "step" if per_step else "mean").double()
    cases = batch(per_step=per_step)
    plain = PlainGradient(net, objective())
    loss, whole = gradient(plain, net, cases, settings, offset)
    # 12 sequences a full batch in 3 parts of 4: the ten there are make parts of 4, 4 and 2
    parts = AccumulatedGradient(net, plain, 3)
    in_parts, summed = gradient(parts, net, cases, settings, offset)
    assert in_parts == pytest.approx(loss, rel=1e-12)
    assert (summed - whole).norm() <= 1e-12 * whole.norm()


@pytest.mark.parametrize("ragged", [False, True])
@pytest.mark.parametrize("offset", range(4))
def test_answers_are_counted_as_they_are_left_by_a_stage(ragged, offset):
    cases = batch(per_step=True, ragged=ragged)
    settings = step(4)
    counted = answers(cases, 4, offset)
    found = int(settings.thin(cases, offset).valid.sum())
    assert counted == found


def test_one_part_is_the_batch_itself():
    net = network().double()
    calls = []

    def rule(cases, settings, offset):
        calls.append(len(cases))
        return 1.0

    AccumulatedGradient(net, rule, 1)(batch(), step(), 0)
    assert calls == [BATCH]


@pytest.mark.parametrize("name", ["s4d", "s6", "gru"])
def test_a_loss_in_bfloat16_is_that_of_single_precision_but_for_rounding(name):
    net = network(name)
    cases = batch(dtype=torch.float32)
    loss, whole = gradient(PlainGradient(net, objective()), net, cases, step())
    optimiser = torch.optim.SGD(net.parameters(), lr=0.1)
    half = PlainGradient(net, objective(), optimiser, Precision.of("bfloat16", net))
    rounded, gradients = gradient(half, net, cases, step())
    # products four deep (encoder, layer, gate, head), each rounded by half of 2^-8 in two factors
    # and a result; a cross-entropy moves by at most twice what the logits, of size one, do
    assert rounded != loss
    assert abs(rounded - loss) <= 2 * 4 * 1.5 * 2**-8
    assert (gradients - whole).norm() <= 2 * 4 * 1.5 * 2**-8 * whole.norm()
    assert gradients.dtype == torch.float32


def scaled(net, scale):
    """Float16 with a scaler as on CUDA, on the CPU, where `Precision.of` refuses it."""
    return Precision(torch.float16, torch.amp.GradScaler("cpu", init_scale=scale))


def test_float16_halves_its_scale_until_gradients_fit_and_loses_no_step():
    net = network("gru")
    cases = batch(dtype=torch.float32)
    loss, whole = gradient(PlainGradient(net, objective()), net, cases, step())
    optimiser = torch.optim.SGD(net.parameters(), lr=0.1)
    precision = scaled(net, 2.0**30)  # far beyond the 65,504 that float16 can hold
    half = PlainGradient(net, objective(), optimiser, precision)
    rounded, gradients = gradient(half, net, cases, step())
    assert precision.scaler.get_scale() < 2.0**20
    assert rounded == pytest.approx(loss, abs=2 * 4 * 1.5 * 2**-11)
    assert (gradients - whole).norm() <= 2 * 4 * 1.5 * 2**-11 * whole.norm()
    again = scaled(net, 2.0)
    again.load_state_dict(precision.state_dict())
    assert again.scaler.get_scale() == precision.scaler.get_scale()


def test_gradients_that_fit_at_no_scale_are_an_error():
    class Steep(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(3))

        def forward(self, x, tau=1.0, *, lengths=None):
            # sqrt at 0: a finite loss with an infinite slope
            return self.weight.sqrt().expand(len(x), 3)

    net = Steep()
    optimiser = torch.optim.SGD(net.parameters(), lr=0.1)
    rule = PlainGradient(net, objective(), optimiser, scaled(net, 4.0))
    with pytest.raises(
        ModelError, match=r"a gradient is not finite, got an overflow[\s\S]*bfloat16"
    ):
        rule(batch(dtype=torch.float32), step(), 0)


@pytest.mark.parametrize("amp", ["half", 16, None, "fp16", 1])
def test_unknown_formats_are_refused(amp):
    with pytest.raises(ConfigError, match=r"format of mixed precision[\s\S]*'float16'"):
        check_amp(amp)


def test_what_a_device_or_a_network_cannot_is_refused():
    with pytest.raises(ConfigError, match=r"float16 needs a CUDA device, got amp='float16'"):
        Precision.of("float16", network())
    with pytest.raises(ModelError, match=r"float32 networks, got torch.float64"):
        Precision.of("bfloat16", network().double())
