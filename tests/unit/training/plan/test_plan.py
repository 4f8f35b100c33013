import json

import numpy as np
import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError
from timegrain.models.build import build_model
from timegrain.training import Stage, SubsamplingPlan, parse_stages, train
from timegrain.training.plan.apportion import apportion


def weights(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def net(**options):
    return build_model("s4d", d_input=1, d_output=2, d_model=4, n_layers=1, seed=0, **options)


class Probe(nn.Module):
    """Records what it is given and told."""

    takes_tau = True

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(1, 2)
        self.seen = []

    def forward(self, x, tau=1.0, *, lengths=None):
        if self.training:
            self.seen.append((x.shape[1], tau, len(x), None if lengths is None else lengths.max()))
        return self.head(x.mean(1))


def test_a_plan_of_stride_1_is_plain_training_bit_for_bit(task):
    models = [net() for _ in range(4)]
    runs = [
        train(models[0], task, stages="1:3", seed=5),
        train(models[1], task, plan=SubsamplingPlan.none(), epochs=3, seed=5),
        train(models[2], task, plan=SubsamplingPlan.of([(1, 1), (1, 2)]), epochs=3, seed=5),
        train(models[3], task, plan="none", epochs=3, seed=5),
    ]
    for model, run in zip(models[1:], runs[1:], strict=True):
        assert torch.equal(weights(model), weights(models[0]))
        losses = [row.train_loss for row in run.history]
        assert losses == [row.train_loss for row in runs[0].history]
        assert run.plan == "full"


def test_a_plan_does_what_stages_do_bit_for_bit(task):
    first, second = net(), net()
    train(first, task, stages="4:2,2:1,1:1", seed=1)
    run = train(second, task, plan=SubsamplingPlan.parse("4:2,2:1,1:1"), epochs=4, seed=1)
    assert torch.equal(weights(first), weights(second))
    assert run.plan == "4:2,2:1,1:1"


def test_a_probe_model_sees_strides_steps_and_tau(task):
    plan = SubsamplingPlan(
        (
            Stage(stride=8, share=1),
            Stage(stride=4, share=1, tau=1.0, decimator="mean"),
            Stage(stride=1, share=2),
        )
    )
    probe = Probe()
    train(probe, task, plan=plan, epochs=4, batch_size=16)
    # the first call only warms up; 32 sequences make 2 steps an epoch; 24 samples
    seen = [(n, tau, size) for n, tau, size, _ in probe.seen[1:]]
    assert seen == [(3, 8.0, 16)] * 2 + [(6, 1.0, 16)] * 2 + [(24, 1.0, 16)] * 4


def test_batches_can_grow_with_the_stride(task):
    probe = Probe()
    plan = SubsamplingPlan.of([(4, 1), (2, 1), (1, 1)], grow_batch=True)
    train(probe, task, plan=plan, epochs=3, batch_size=8)
    assert [(n, size) for n, _, size, _ in probe.seen[1:]] == (
        [(6, 32)] + [(12, 16)] * 2 + [(24, 8)] * 4
    )


def test_the_rate_restarts_where_asked_to():
    stages = [(4, 1), (1, 1)]
    one = SubsamplingPlan.of(stages).course(40, n=10, batch_size=10)
    many = SubsamplingPlan.of(stages, lr_policy="restart").course(40, n=10, batch_size=10)
    # the first stage of the restarted ones falls to nearly 0 (half a cosine's last step), then
    # rises again; one cosine only falls once it has risen
    ends = [many.factor(i) for i in (19, 21)]
    assert ends[0] < 0.01 < 0.9 < ends[1]
    falling = [one.factor(i) for i in range(2, 40)]
    assert falling == sorted(falling, reverse=True)
    # schedulers ask for the step behind the last, too
    assert 0 <= many.factor(40) < 0.01


def test_shares_become_the_epochs_that_stages_say():
    for text in ("8:80,4:60,2:40,1:20", "4:2,1:1", "3:7,1:1", "1:15"):
        rows = parse_stages(text)
        assert SubsamplingPlan.parse(text).epochs(sum(r.epochs for r in rows)) == rows


@pytest.mark.parametrize(
    ("shares", "epochs"),
    [("epochs", (5, 5, 5)), ("compute", (9, 4, 2)), ("coarse-heavy", (8, 6, 1))],
)
def test_what_a_share_is_a_share_of(shares, epochs):
    plan = SubsamplingPlan.of([(4, 1), (2, 1), (1, 1)], shares=shares)
    assert tuple(row.epochs for row in plan.epochs(15)) == epochs


def test_equal_compute_is_equal():
    plan = SubsamplingPlan.of([(8, 1), (4, 1), (2, 1), (1, 1)], shares="compute")
    assert len({row.epochs / row.stride for row in plan.epochs(150)}) == 1


@pytest.mark.parametrize("total", [3, 4, 7, 100])
def test_epochs_sum_and_none_is_forgotten(total):
    counts = apportion([0.98, 0.01, 0.01], total)
    assert sum(counts) == total
    assert min(counts) >= 1


def test_a_plan_travels_as_json():
    plan = SubsamplingPlan(
        (Stage(stride=4, share=0.7, tau=1.0, decimator="mean"), Stage(stride=1, share=0.3)),
        shares="compute",
        place="embedding",
        lr_policy="restart",
        grow_batch=True,
    )
    assert SubsamplingPlan.load_state_dict(json.loads(json.dumps(plan.state_dict()))) == plan
    with pytest.raises(ConfigError, match="no state of a plan"):
        SubsamplingPlan.load_state_dict({"stages": []})
    for stages in (None, "abc", [{}], [{"stride": 2, "share": 1}], [3]):
        with pytest.raises(ConfigError, match=r"no state of a plan, got stages="):
            SubsamplingPlan.load_state_dict(plan.state_dict() | {"stages": stages})
    assert Stage(stride=np.int64(2), share=np.float32(0.5)) == Stage(stride=2, share=0.5)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SubsamplingPlan(()),
        lambda: SubsamplingPlan.none().epochs(0),
        lambda: SubsamplingPlan.none().epochs(2.5),
        lambda: SubsamplingPlan.none().epochs(10**400),
        lambda: SubsamplingPlan.parse("1:1000001"),
        lambda: SubsamplingPlan.none().epochs(float("nan")),
        lambda: SubsamplingPlan.none().epochs("3"),
        lambda: SubsamplingPlan.none().epochs(None),
        lambda: SubsamplingPlan.none().walk(3, time=4, epochs=2.5),
        lambda: SubsamplingPlan.parse(None),
        lambda: SubsamplingPlan.of("4:1"),
        lambda: SubsamplingPlan.of([4, 1]),
        lambda: SubsamplingPlan.of([(4,)]),
        lambda: SubsamplingPlan.of(None),
        lambda: SubsamplingPlan(None),
        lambda: SubsamplingPlan(Stage(stride=1, share=1)),
        lambda: SubsamplingPlan.parse("8:1,4:1").epochs(1),
        lambda: SubsamplingPlan.parse("8"),
        lambda: SubsamplingPlan.of([(2, 0)]),
        lambda: SubsamplingPlan.of([(0, 1)]),
        lambda: SubsamplingPlan.of([(2, 1)], decimator="median"),
        lambda: SubsamplingPlan.of([(2, 1)], shares="time"),
        lambda: SubsamplingPlan.of([(2, 1)], place="head"),
        lambda: SubsamplingPlan.of([(2, 1)], lr_policy="step"),
        lambda: Stage(stride=2, share=1, tau=-1.0),
        lambda: Stage(stride=2, share=None),
    ],
)
def test_plans_that_make_no_sense_are_refused(make):
    with pytest.raises(ConfigError):
        make()


def test_stages_and_a_plan_together_are_refused(task):
    with pytest.raises(ConfigError, match="stages"):
        train(net(), task, stages="1:1", plan="none")
    with pytest.raises(ConfigError, match="cannot read the plan"):
        train(net(), task, plan=3)


def test_a_filter_that_does_not_fit_is_refused_before_training(task):
    plan = SubsamplingPlan.of([(2, 1), (1, 1)], decimator="fir")
    with pytest.raises(ConfigError, match="needs 483 samples"):
        train(net(), task, plan=plan, epochs=2)


def test_dropping_after_the_embedding_is_dropping_before_it(ragged):
    # each sample is embedded by itself, so that for the phase the place makes no difference
    models = [net(), net()]
    for model, place in zip(models, ("input", "embedding"), strict=True):
        plan = SubsamplingPlan.of([(3, 1), (1, 1)], place=place)
        train(model, ragged, plan=plan, epochs=2, seed=2)
    # float32 sums in another order over 4 steps
    torch.testing.assert_close(weights(models[0]), weights(models[1]), rtol=0, atol=1e-5)


def test_a_foreign_model_has_no_place_behind_its_embedding(task):
    from timegrain.core.errors import ModelError

    plan = SubsamplingPlan.of([(2, 1)], place="embedding")
    with pytest.raises(ModelError, match="place='input'"):
        train(Probe(), task, plan=plan, epochs=1)
