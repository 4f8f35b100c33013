"""Each way to break a layer fails the check that is about it, and of the others those it breaks."""

import pytest
import torch
from torch import nn

from timegrain import check_model
from timegrain.core.errors import ModelError
from timegrain.kernels import linear_scan
from timegrain.models import GRU, S4D, S6, SequenceLayer, build_model
from timegrain.models.backbone import Backbone
from timegrain.models.steps import Steps


class Plain(SequenceLayer):
    """A selective system of one state a channel: nothing here but what is mutated."""

    order = 1

    def __init__(self, d_model):
        super().__init__(d_model)
        self.log_rate = nn.Parameter(torch.linspace(-3, 0, d_model))
        self.x_proj = nn.Linear(d_model, 2 * d_model)

    def rate(self):
        return -self.log_rate.exp()

    def select(self, u):
        return self.x_proj(u).chunk(2, -1)

    def _mix(self, x, state, steps, *, return_state):
        (B, C), ratio = self.select(x), steps.weights(x).to(x.dtype)[..., None]
        decay, drive = torch.exp(self.rate() * ratio) + 0j, ratio * B * x + 0j
        before = None if state is None else state + 0j
        states = linear_scan(decay, drive, initial_state=before, backend="torch").real
        return C * states, states[:, -1]

    def _advance(self, x_t, state, ratio):
        B, C = self.select(x_t)
        state = torch.zeros_like(x_t) if state is None else state
        state = torch.exp(self.rate() * ratio) * state + ratio * B * x_t
        return C * state, state


class CUnused(Plain):
    """A scan whose output never meets C."""

    def select(self, u):
        B, C = super().select(u)
        return B, torch.ones_like(C)


class TauUnheard(S4D):
    """Tau is read and checked, and does not reach the kernel."""

    def _mix(self, x, state, steps, *, return_state):
        ratio = 1.0 if steps.uniform else torch.ones_like(steps.ratio)
        told = Steps(ratio=ratio, valid=steps.valid)
        return super()._mix(x, state, told, return_state=return_state)

    def _advance(self, x_t, state, ratio):
        return super()._advance(x_t, state, torch.ones_like(ratio))


class LengthsDropped(S6):
    """Lengths are accepted, and everything beyond them is mixed in."""

    def _call(self, x, state, tau, lengths, *, return_state):
        return super()._call(x, state, tau, None, return_state=return_state)


class CarryLost(S4D):
    """Every scan starts from rest."""

    def _mix(self, x, state, steps, *, return_state):
        return super()._mix(x, None, steps, return_state=return_state)


class StepApart(S4D):
    """One step is discretised by Euler's rule, the scan exactly."""

    def _advance(self, x_t, state, ratio):
        dt = ratio * self.log_dt.exp()
        exponent = self.modes * dt[..., None]
        driven = (dt * x_t)[..., None] * torch.ones_like(exponent)
        after = driven if state is None else torch.exp(exponent) * state + driven
        return 2 * (torch.view_as_complex(self.C) * after).sum(-1).real + self.D * x_t, after


class OrderOverstated(S6):
    order = 2


class AveragesItsBatch(GRU):
    def _mix(self, x, state, steps, *, return_state):
        return super()._mix(x - x.mean(0, keepdim=True), state, steps, return_state=return_state)


class SeesTheFuture(S4D):
    def _mix(self, x, state, steps, *, return_state):
        y, after = super()._mix(x, state, steps, return_state=return_state)
        return y + 0.1 * x.mean(1, keepdim=True), after


class ForwardApart(GRU):
    """Scan and step are right, and forward is something else, of the future too."""

    def forward(self, x, tau=1.0, *, lengths=None):
        y = super().forward(x, tau, lengths=lengths)
        return y + 0.1 * torch.roll(x, -1, dims=1)


class HeadApart(Backbone):
    """A network that pools other features than its scan gives."""

    def forward(self, x, tau=1.0, *, lengths=None):
        return 2 * super().forward(x, tau, lengths=lengths)


class Explodes(Plain):
    """Modes whose real part is above zero."""

    def rate(self):
        return self.log_rate.exp()


class Detached(S4D):
    def _mix(self, x, state, steps, *, return_state):
        y, after = super()._mix(x, state, steps, return_state=return_state)
        return y + (self.D * x).detach(), after


class Noisy(GRU):
    def _mix(self, x, state, steps, *, return_state):
        return super()._mix(x + torch.randn_like(x), state, steps, return_state=return_state)


@pytest.mark.parametrize(
    ("mutant", "check", "word"),
    [
        (CUnused, "parameters", "x_proj"),
        (TauUnheard, "tau-reaches", "tau"),
        (LengthsDropped, "padding", "lengths"),
        (CarryLost, "chunks", "state"),
        (StepApart, "steps", "step"),
        (OrderOverstated, "order", "order"),
        (AveragesItsBatch, "batch", "batch"),
        (SeesTheFuture, "causal", "steps = False"),
        (ForwardApart, "causal", "steps = False"),
        (ForwardApart, "forward", "scan(x)[0]"),
        (Explodes, "finite", "real parts"),
        (Detached, "gradients", "detach"),
        (Noisy, "determinism", "randomness"),
    ],
)
def test_a_mutation_fails_the_check_about_it(mutant, check, word):
    torch.manual_seed(0)
    options = {"n_pairs": 4} if issubclass(mutant, S4D) else {}
    result = check_model(mutant(4, **options), only=(check,), quick=True)
    assert not result.passed
    assert {row.check for row in result.failures} == {check}
    assert any(word in f"{row.reason} {row.cure}" for row in result.failures)


def test_what_is_mutated_keeps_the_contract():
    torch.manual_seed(0)
    check_model(Plain(4), quick=True, skip=("finite",)).raise_if_failed()


def test_a_config_that_says_another_option_fails():
    net = build_model(
        "s6", d_input=2, d_output=3, d_model=6, n_layers=1, seed=0, discretization="zoh"
    )
    assert check_model(net, only=("file",)).passed
    net._config["discretization"] = "euler_b"
    (row,) = check_model(net, only=("file",)).failures
    assert row.label == "file config"
    assert "the output" in row.reason


@pytest.mark.parametrize(
    ("mutant", "failing"),
    [
        (CUnused, {"parameters"}),
        (TauUnheard, {"tau-reaches", "order"}),  # errors at a step that is not heard
        (LengthsDropped, {"padding"}),
        (CarryLost, {"chunks", "padding"}),  # the state behind the padding is given back
        (StepApart, {"steps"}),
        (ForwardApart, {"forward", "causal", "padding"}),  # rolled out of the padding
    ],
)
def test_of_all_checks_only_those_that_it_breaks_fail(mutant, failing):
    torch.manual_seed(0)
    options = {"n_pairs": 4} if issubclass(mutant, S4D) else {}
    result = check_model(mutant(6, **options), quick=True)
    assert {row.check for row in result.failures} == failing


@pytest.mark.parametrize("head", ["mean", "last", "step"])
def test_the_forward_of_a_network_is_compared_through_its_head(head):
    config = {"d_input": 2, "d_output": 3, "d_model": 4, "n_layers": 1, "head": head}
    net = build_model("gru", **config, seed=0)
    rows = {row.label: row for row in check_model(net, only=("causal", "forward")).checks}
    assert rows["forward"].verdict == "passed"
    assert rows["forward"].reason.endswith("scan, through head")
    assert rows["causal forward"].verdict == ("passed" if head == "step" else "not applicable")
    net.__class__ = HeadApart
    (row,) = check_model(net, only=("causal", "forward")).failures
    assert row.check == "forward"


class Stranger(nn.Module):
    """Someone's recurrent network of its own convention: pooled, with a tuple as output."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(3, 5, batch_first=True)
        self.head = nn.Linear(5, 2)

    def forward(self, x):
        y, _ = self.cell(x)
        return self.head(y[:, -1]), y


def test_a_stranger_passes():
    torch.manual_seed(0)
    result = check_model(Stranger(), quick=True)
    result.raise_if_failed()
    assert not result.told
    verdicts = {row.check: row for row in result.checks}
    assert verdicts["steps"].reason == "it has no scan(x, state)"
    assert verdicts["padding"].reason == "it has no parameter named lengths"
    assert verdicts["tau-forms"].reason.startswith("the model has no parameter named tau")


class OtherAxes(nn.Module):
    """Forgets batch_first: time is taken for the batch."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(3, 5)

    def forward(self, x):
        return self.cell(x)[0]


def test_a_stranger_fails():
    torch.manual_seed(0)
    result = check_model(OtherAxes(), quick=True)
    assert {row.check for row in result.failures} == {"batch"}
    with pytest.raises(ModelError, match="batch_first=True"):
        result.raise_if_failed()
