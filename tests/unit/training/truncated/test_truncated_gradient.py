"""The gradient through a chunk of time at a time, against the ordinary one and a plain loop."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models import Backbone, build_model
from timegrain.models.backbone.frame import Frame
from timegrain.models.layers.gru import GRU
from timegrain.training.batch import Batch
from timegrain.training.objective import Objective
from timegrain.training.plan.settings import StepSettings
from timegrain.training.trainer.gradient import PlainGradient
from timegrain.training.trainer.precision import Precision
from timegrain.training.truncated.carrying import as_carrying, detached
from timegrain.training.truncated.gradient import TruncatedGradient

TIME = 24
LENGTHS = torch.tensor([24, 9, 1, 16])
HEADS = ("mean", "last", "step")


class NeedsAll(GRU):
    steps = False


def settings(stride=1, decimator="phase"):
    return StepSettings(
        stage=0,
        stride=stride,
        tau=float(stride),
        decimator=decimator,
        place="input",
        batch_size=4,
    )


def network(name, head="mean", **options):
    options |= {"s4d": {"n_pairs": 3}, "s6": {"n_state": 3}, "mamba": {"n_state": 3}}.get(name, {})
    return build_model(
        name, d_input=2, d_output=3, d_model=6, n_layers=2, head=head, seed=0, **options
    ).double()


def objective(kind="class"):
    zeros = torch.zeros(3, dtype=torch.float64)
    return Objective(target_kind=kind, d_output=3, center=zeros, scale=zeros + 1)


def sequences(*, per_step=False, kind="class", lengths=LENGTHS, time=TIME):
    random = torch.Generator().manual_seed(3)
    x = torch.randn(4, time, 2, generator=random, dtype=torch.float64)
    shape = (4, time) if per_step else (4,)
    if kind == "class":
        y = torch.randint(3, shape, generator=random)
    else:
        y = torch.randn(*shape, 3, generator=random, dtype=torch.float64)
    return Batch(x=x, y=y, lengths=lengths, per_step=per_step)


def gradients(model, rule, batch, how=None, offset=0):
    model.train()
    model.zero_grad()
    loss = rule(batch, settings() if how is None else how, offset)
    return loss, {name: p.grad.clone() for name, p in model.named_parameters()}


def assert_equal(got, wanted):
    assert got[0] == pytest.approx(wanted[0], rel=1e-12, abs=1e-12)
    # all sums here have fewer than 1,000 terms, each good to 1e-16 of the largest
    scale = max(float(g.abs().max()) for g in wanted[1].values())
    for name, gradient in wanted[1].items():
        torch.testing.assert_close(
            got[1][name] / scale, gradient / scale, rtol=1e-12, atol=1e-12, msg=name
        )


@pytest.mark.parametrize(
    ("name", "lengths"),
    [(n, LENGTHS) for n in ("s4d", "s6", "mamba", "gru")] + [("gru", None)],
)
@pytest.mark.parametrize("head", HEADS)
def test_the_machinery_with_one_chunk_has_the_ordinary_gradient(name, lengths, head):
    model, batch = network(name, head), sequences(per_step=head == "step", lengths=lengths)
    wanted = gradients(model, PlainGradient(model, objective()), batch)
    rule = TruncatedGradient(model=model, objective=objective(), size=TIME)
    assert_equal(gradients(model, rule, batch), wanted)


@pytest.mark.parametrize("head", HEADS)
def test_what_fits_into_one_chunk_goes_the_ordinary_way(head):
    model, batch = network("s4d", head).float(), sequences(per_step=head == "step")
    batch = Batch(x=batch.x.float(), y=batch.y, lengths=LENGTHS, per_step=head == "step")
    plain = PlainGradient(model, objective())
    wanted = gradients(model, plain, batch)
    got = gradients(
        model, TruncatedGradient(model=model, objective=objective(), size=TIME, whole=plain), batch
    )
    assert got[0] == wanted[0]
    assert all(torch.equal(got[1][name], g) for name, g in wanted[1].items())


@pytest.mark.parametrize("kind", ["class", "value"])
@pytest.mark.parametrize("head", HEADS)
def test_the_truncated_gradient_is_that_of_a_loop_written_out(head, kind):
    """One graph for the whole loss, in which the state is detached after every 5th sample."""
    model = network("gru", head)
    batch = sequences(per_step=head == "step", kind=kind, lengths=None)
    rule = TruncatedGradient(model=model, objective=objective(kind), size=5)
    got = gradients(model, rule, batch)

    model.zero_grad()
    h, states, features = batch.x, [None, None], []
    for t in range(TIME):
        if t % 5 == 0:
            states = [None if s is None else s.detach() for s in states]
        h = model.encoder(batch.x[:, t])
        for i, block in enumerate(model.blocks):
            mixed, states[i] = block.mixer.step(block.norm(h), states[i])
            h = h + F.glu(block.gate(F.gelu(mixed)), dim=-1)
        features.append(h)
    every = torch.stack(features, 1)
    pooled = {"mean": every.mean(1), "last": every[:, -1], "step": every}[head]
    out = model.head(pooled).flatten(0, -2)
    y = batch.y.flatten(0, 1) if head == "step" else batch.y
    loss = F.cross_entropy(out, y) if kind == "class" else F.mse_loss(out, y)
    loss.backward()
    wanted = float(loss.detach()), {name: p.grad.clone() for name, p in model.named_parameters()}
    assert_equal(got, wanted)
    # and that is not the whole gradient: the truncation cuts something off
    whole = gradients(model, PlainGradient(model, objective(kind)), batch)
    assert whole[0] == pytest.approx(got[0], rel=1e-12)
    name = "blocks.0.mixer.cell.weight_hh_l0"
    assert float((whole[1][name] - got[1][name]).norm() / whole[1][name].norm()) > 1e-3


@pytest.mark.parametrize(
    ("name", "head"), [("s4d", "mean"), ("s6", "step"), ("gru", "last"), ("mamba", "mean")]
)
def test_ragged_sequences_have_the_gradients_of_each_alone(name, head):
    model, batch = network(name, head), sequences(per_step=head == "step")
    rule = TruncatedGradient(model=model, objective=objective(), size=7)
    loss, got = gradients(model, rule, batch)
    total, sums = 0.0, {n: torch.zeros_like(g) for n, g in got.items()}
    shares = LENGTHS.double() / LENGTHS.sum() if head == "step" else torch.full((4,), 0.25).double()
    for row, (length, share) in enumerate(zip(LENGTHS.tolist(), shares, strict=True)):
        y = batch.y[row : row + 1]
        alone = Batch(
            x=batch.x[row : row + 1, :length],
            y=y[:, :length] if head == "step" else y,
            per_step=head == "step",
        )
        one, found = gradients(model, rule, alone)
        total += one * float(share)
        for n, g in found.items():
            sums[n] += g * share
    assert_equal((loss, got), (total, sums))


@pytest.mark.parametrize("head", HEADS)
def test_dropout_draws_the_same_in_both_passes(head):
    """With one chunk the masks are those of an ordinary step, so that the gradient is."""
    model = network("gru", head, dropout=0.5)
    batch = sequences(per_step=head == "step")
    torch.manual_seed(5)
    wanted = gradients(model, PlainGradient(model, objective()), batch)
    after = torch.get_rng_state()
    torch.manual_seed(5)
    rule = TruncatedGradient(model=model, objective=objective(), size=TIME)
    assert_equal(gradients(model, rule, batch), wanted)
    assert torch.equal(torch.get_rng_state(), after)


def test_dropout_in_several_chunks_has_a_gradient_that_fits_its_loss():
    """Finite differences of the loss along the head and the encoder, at one draw of the masks."""
    model = network("gru", "mean", dropout=0.5)
    rule = TruncatedGradient(model=model, objective=objective(), size=7)
    batch = sequences()

    def drawn():
        torch.manual_seed(5)
        return gradients(model, rule, batch)

    _, found = drawn()
    # the last block's gate is not in any carried state: nothing of its gradient is cut off
    for name in ("blocks.1.gate.weight", "head.weight"):
        weight = model.get_parameter(name)
        way = torch.randn(weight.shape, generator=torch.Generator().manual_seed(1)).double()
        ends = []
        for sign in (1.0, -1.0):
            with torch.no_grad():
                weight += sign * 1e-5 * way
            ends.append(drawn()[0])
            with torch.no_grad():
                weight -= sign * 1e-5 * way
        # central differences: 1e-10 of truncation, 1e-16 / 1e-5 of rounding
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(
            float((found[name] * way).sum()), rel=1e-7, abs=1e-9
        )


@pytest.mark.parametrize("decimator", ["phase", "mean"])
@pytest.mark.parametrize("head", HEADS)
def test_a_stage_drops_samples_first(decimator, head):
    """Sequence 2 ends before the phase, and size counts what is left."""
    model, batch = network("s4d", head), sequences(per_step=head == "step")
    how = settings(3, decimator)
    wanted = gradients(model, PlainGradient(model, objective()), batch, how, offset=2)
    rule = TruncatedGradient(model=model, objective=objective(), size=8)
    assert_equal(gradients(model, rule, batch, how, offset=2), wanted)
    # 8 samples at stride 3 are all there are, 4 are not
    small = TruncatedGradient(model=model, objective=objective(), size=4)
    got = gradients(model, small, batch, how, offset=2)
    assert got[0] == pytest.approx(wanted[0], rel=1e-12)
    name = "blocks.0.mixer.log_dt"
    assert not torch.allclose(got[1][name], wanted[1][name], rtol=1e-6)


def test_a_loss_that_is_not_finite_is_returned_at_once():
    model = network("gru")
    batch = sequences()
    with torch.no_grad():
        model.head.weight.fill_(float("inf"))
    rule = TruncatedGradient(model=model, objective=objective(), size=7)
    assert not torch.isfinite(torch.tensor(rule(batch, settings(), 0)))


def test_what_cannot_go_on_from_a_state_is_refused():
    class Foreign(nn.Module):
        takes_tau = False

    with pytest.raises(ModelError, match=r"Foreign cannot be trained in parts.*scan, head, pool"):
        as_carrying(Foreign())
    whole = Backbone(
        lambda: NeedsAll(6), Frame(d_input=2, d_output=3, d_model=6, n_layers=1), config={}
    )
    with pytest.raises(ModelError, match="a layer of it needs whole sequences"):
        as_carrying(whole)


def test_a_network_of_ones_own_with_an_lstm_can_be_trained_in_parts():
    class Own(nn.Module):
        takes_tau, pooling = False, "last"

        def __init__(self):
            super().__init__()
            self.cell = nn.LSTM(2, 5, batch_first=True)
            self.head = nn.Linear(5, 3)

        def scan(self, x, state=None, *, tau, lengths):
            return self.cell(x, state)

        def forward(self, x, tau=1.0, *, lengths=None):
            return self.head(self.scan(x, tau=tau, lengths=lengths)[0][:, -1])

    model, batch = Own().double(), sequences(lengths=None)
    wanted = gradients(model, PlainGradient(model, objective()), batch)
    one = TruncatedGradient(model=model, objective=objective(), size=TIME)
    assert_equal(gradients(model, one, batch), wanted)
    several = TruncatedGradient(model=model, objective=objective(), size=5)
    assert gradients(model, several, batch)[0] == pytest.approx(wanted[0], rel=1e-12)


def test_states_of_any_make_are_detached():
    weight = torch.ones(2, requires_grad=True)
    state = {"a": (weight * 2, [weight * 3, None])}
    cut = detached(state)
    assert torch.equal(cut["a"][0], weight * 2)
    assert not any(t.requires_grad for t in (cut["a"][0], cut["a"][1][0]))
    assert cut["a"][1][1] is None


@pytest.mark.parametrize("head", HEADS)
def test_in_bfloat16_the_gradient_is_that_of_32_bits_but_for_rounding(head):
    model = network("s4d", head).float()
    batch = sequences(per_step=head == "step")
    batch = Batch(x=batch.x.float(), y=batch.y, lengths=LENGTHS, per_step=head == "step")
    rules = [
        TruncatedGradient(model=model, objective=objective(), size=7, precision=precision)
        for precision in (Precision(), Precision(torch.bfloat16))
    ]
    (loss, wanted), (narrow, got) = (gradients(model, rule, batch) for rule in rules)
    # 8 bits of mantissa
    assert narrow == pytest.approx(loss, rel=2**-6)
    assert narrow != loss
    every, rounded = (torch.cat([g.flatten() for g in x.values()]) for x in (wanted, got))
    assert float((rounded - every).norm() / every.norm()) < 2**-4


def test_float16_is_refused():
    narrow = Precision(torch.float16, torch.amp.GradScaler("cpu"))
    with pytest.raises(ConfigError, match="amp='bfloat16'"):
        TruncatedGradient(model=network("gru"), objective=objective(), size=7, precision=narrow)
