"""Models as users have them, with what cannot be read off them."""

import math
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from timegrain import ModelAdapter, Outcome, model_continuity
from timegrain.continuity import TauArgument, TauScale
from timegrain.core import ConfigError, ModelError

FEW = {"seeds": 2, "levels": 4, "length": 32}
WORKING = 0.25  # the working step where a model takes its step in absolute units


def decayed(u, kept):
    """Order 1: y' = u - y with u held."""
    y = [torch.zeros_like(u[:, 0])]
    for k in range(1, u.shape[1]):
        y.append(kept * y[-1] + (1 - kept) * u[:, k - 1])
    return torch.stack(y, dim=1)


class Leak(nn.Module):
    """A leak whose step is a parameter, as its logarithm."""

    def __init__(self, step: float = 0.3) -> None:
        super().__init__()
        self.log_dt = nn.Parameter(torch.tensor(math.log(step)))

    def forward(self, u):
        return decayed(u, torch.exp(-self.log_dt.exp()))


class Stack(nn.Module):
    """Leaks in a row, one of which shares its step with another."""

    def __init__(self) -> None:
        super().__init__()
        self.inward, self.layers = nn.Linear(2, 3), nn.ModuleList([Leak(0.2), Leak(0.4), Leak()])
        self.layers[2].log_dt = self.layers[1].log_dt

    def forward(self, u):
        u = self.inward(u)
        for layer in self.layers:
            u = layer(u)
        return u


def leak(u, scale):
    return decayed(torch.as_tensor(u), math.exp(-0.3 * scale))


ARGUMENTS = {
    "step_scale": (lambda u, step_scale: leak(u, step_scale), "step_scale"),
    "rate": (lambda u, rate: leak(u, rate), "rate"),
    "dt": (lambda u, dt: leak(u, dt / WORKING), "dt"),
    "hz": (lambda u, hz: leak(u, 1 / (hz * WORKING)), "hz"),
    "inverse": (lambda u, rate: leak(u, 1 / rate), TauArgument("rate", gives="1/tau")),
    "absolute": (lambda u, h: leak(u, h / WORKING), TauArgument("h", gives="dt")),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_by_name_is_given_what_it_means(name):
    function, tau = ARGUMENTS[name]
    told = model_continuity(ModelAdapter(function, tau=tau), dt=WORKING, **FEW)
    expected = model_continuity(lambda u, tau=1.0: leak(u, tau), dt=WORKING, **FEW)
    assert told.outcome is Outcome.CONVERGES
    assert told.takes_tau
    assert [r.error for r in told.errors] == pytest.approx([r.error for r in expected.errors])
    assert any(f"the argument {told_name(tau)} is given" in note for note in told.notes)


def told_name(tau):
    return tau if isinstance(tau, str) else tau.name


@pytest.mark.parametrize("name", ["dt", "step_scale"])
def test_tau_counts_from_the_step_that_the_model_was_trained_at(name):
    """Trained at twice the working step, a model that takes tau is told 1/2 there."""
    if name == "dt":
        adapter = ModelAdapter(lambda u, dt: leak(u, dt), tau="dt", trained_dt=0.5)
        alone = model_continuity(lambda u, tau=1.0: leak(u, 0.25 * tau), dt=0.25, **FEW)
    else:
        adapter = ModelAdapter(ARGUMENTS[name][0], tau=name, trained_dt=0.5)
        alone = model_continuity(lambda u, tau=1.0: leak(u, 0.5 * tau), dt=0.25, **FEW)
    result = model_continuity(adapter, dt=0.25, **FEW)
    assert [r.error for r in result.errors] == pytest.approx([r.error for r in alone.errors])
    assert any("told tau = 0.5" in note for note in result.notes)


def test_parameters_along_a_path_are_scaled_once_each_and_set_back():
    model = Stack()
    before = {k: v.clone() for k, v in model.state_dict().items()}
    result = model_continuity(ModelAdapter(model, tau="layers.*.log_dt"), **FEW)
    assert result.outcome is Outcome.CONVERGES
    assert result.order == pytest.approx(1, abs=0.1)
    assert result.d_input == 2
    assert all(torch.equal(before[k], v) for k, v in model.state_dict().items())
    assert model_continuity(model, **FEW).outcome is Outcome.MEMORY_COLLAPSES
    with TauScale("layers.*.log_dt").told(model, 0.5, 1.0):
        steps = [layer.log_dt.exp().item() for layer in model.layers]
    assert steps == pytest.approx([0.1, 0.2, 0.2])
    assert all(torch.equal(before[k], v) for k, v in model.state_dict().items())


@pytest.mark.parametrize(("by", "step"), [("times", 0.5), ("divided by", 2.0)])
def test_a_number_of_an_object_is_scaled(by, step):
    class Numbered:
        dt = step

        def __call__(self, u):
            return leak(u, self.dt if by == "times" else 1 / self.dt)

    model = Numbered()
    adapter = ModelAdapter(model, tau=TauScale("dt", by=by))
    assert model_continuity(adapter, **FEW).outcome is Outcome.CONVERGES
    assert model.dt == step


def test_a_function_of_the_user_tells_it_in_a_context():
    calls = []

    @contextmanager
    def slower(model, tau):
        calls.append(tau)
        before = model.log_dt.data
        model.log_dt.data = before + math.log(tau)
        yield
        model.log_dt.data = before

    result = model_continuity(ModelAdapter(Leak(), tau=slower, d_input=1), **FEW)
    assert result.outcome is Outcome.CONVERGES
    assert set(calls) == {1.0, 0.5, 0.25, 0.125, 0.0625}


def test_what_is_told_nothing_is_measured_natively_and_said_so():
    told = ModelAdapter(lambda u, tau=1.0: leak(u, tau), tau=None)
    result = model_continuity(told, **FEW)
    assert (result.protocol, result.takes_tau) == ("native", False)
    assert result.outcome is Outcome.MEMORY_COLLAPSES
    assert "the adapter says" in result.reasons["protocol"]


def test_one_named_input_is_refined_and_the_others_are_held():
    def driven(*, gain, embeds, tau=1.0):
        return SimpleNamespace(hidden=gain * leak(embeds, tau), other=None)

    adapter = ModelAdapter(driven, inputs="embeds", others={"gain": 3.0}, output="hidden")
    plain = model_continuity(lambda u, tau=1.0: 3.0 * leak(u, tau), **FEW)
    assert model_continuity(adapter, **FEW).errors == plain.errors


def test_other_arguments_may_be_as_long_as_the_input():
    def placed(u, positions):
        assert positions.shape == u.shape[1:2]
        return leak(u, 1.0 if len(positions) < 2 else float(positions[1]))

    def places(u, tau):
        return {"positions": tau * np.arange(u.shape[1])}

    result = model_continuity(ModelAdapter(placed, others=places), **FEW)
    assert (result.outcome, result.protocol) == (Outcome.CONVERGES, "rescale")


@pytest.mark.parametrize("output", ["states", 1, lambda answer: answer[1]])
def test_a_part_of_the_answer_is_measured(output):
    def answering(u, tau=1.0):
        y = leak(u, tau)
        return {"other": None, "states": y} if output == "states" else (y[:, :2], y)

    result = model_continuity(ModelAdapter(answering, output=output), **FEW)
    assert result.outcome is Outcome.CONVERGES


class Pooling(nn.Module):
    """Channels first within, with a pooling layer that watching could find, too."""

    def __init__(self, *, late: bool = False) -> None:
        super().__init__()
        self.leak, self.pool, self.head = Leak(), nn.AdaptiveAvgPool1d(1), nn.Linear(2, 2)
        self.late = late

    def forward(self, u):
        y = self.leak(u).mT
        return self.head(self.pool(y[..., ::2] if self.late else y)[..., 0])


def test_the_memory_is_that_of_what_the_named_submodule_is_given():
    adapter = ModelAdapter(Pooling(), tau="leak.log_dt", pooling="pool")
    result = model_continuity(adapter, d_input=2, **FEW)
    alone = model_continuity(ModelAdapter(Leak(), tau="log_dt", d_input=2), **FEW)
    assert result.layers == ("output", "pooled")
    assert [r.memory for r in result.memory] == pytest.approx([r.memory for r in alone.memory])
    assert any("what pool is given" in note for note in result.notes)


def refused(model=None, call=None, match="", error=ConfigError, **options):
    with pytest.raises(error, match=match):
        adapter = ModelAdapter(Stack() if model is None else model, **options)
        model_continuity(adapter, **FEW) if call else None


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"tau": "rate"}, "number named rate"),
        ({"model": lambda u, **more: u, "tau": "rate"}, r"\*\*kwargs may pass it to nobody"),
        ({"tau": "layers.*.dt"}, "nothing at layers"),
        ({"tau": "step.log_dt"}, "layers.0.log_dt, layers.1.log_dt"),
        ({"tau": TauScale("layers")}, "cannot be scaled"),
        ({"tau": "log_dtt"}, r"named log_dtt[\s\S]*Try .*log_dt"),
        ({"tau": 3}, "how tau is told is unknown"),
        ({"inputs": "x"}, "no argument x[\\s\\S]*Try u"),
        ({"pooling": "pools"}, "no submodule pools"),
        ({"model": "s4d"}, "a registered name needs no adapter"),
        ({"model": Stack}, "the class Stack"),
        ({"trained_dt": 0.0}, "trained_dt is a step"),
        ({"dtype": "float16"}, "dtype is unknown"),
    ],
)
def test_what_does_not_go_with_the_model_is_refused_at_once(options, match):
    refused(match=match, **options)


@pytest.mark.parametrize("make", [lambda: TauArgument("a.b"), lambda: TauArgument("a", gives="b")])
def test_an_argument_that_is_none_is_refused(make):
    with pytest.raises(ConfigError):
        make()


@pytest.mark.parametrize("make", [lambda: TauScale("a..b"), lambda: TauScale("a", by="log")])
def test_a_path_that_is_none_is_refused(make):
    with pytest.raises(ConfigError):
        make()


def test_a_step_that_goes_nowhere_is_an_error():
    def deaf(u, rate=1.0):
        return leak(u, 1.0)

    refused(deaf, call=True, match="does not reach deaf: the argument rate", error=ModelError,
            tau="rate")  # fmt: skip


@pytest.mark.parametrize(
    ("model", "options", "match"),
    [
        (Stack(), {"tau": lambda model, tau: None}, "returns no context"),
        (Stack(), {"tau": lambda model, tau: 1 / 0}, "ZeroDivisionError"),
        (Stack(), {"output": "logits"}, "no part 'logits'"),
        (Pooling(late=True), {"pooling": "pool", "d_input": 2}, "no sequence with the input's"),
        (Pooling(), {"pooling": "head", "d_input": 2}, "no sequence with the input's"),
    ],
)
def test_what_shows_in_a_call_is_an_error_that_says_so(model, options, match):
    refused(model, call=True, match=match, error=ModelError, **options)
