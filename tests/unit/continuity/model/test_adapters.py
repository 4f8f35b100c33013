"""Modules and functions as users have them."""

import numpy as np
import pytest
import torch
from torch import nn

from timegrain.continuity.model.measure import model_continuity
from timegrain.core import ModelError, Outcome

FEW = {"seeds": 2, "levels": 4, "length": 32}


class Leaky(nn.Module):
    """A told leak between two linear maps."""

    def __init__(self, d_input: int = 3, *, pool: bool = False, show: bool = False) -> None:
        super().__init__()
        self.inward = nn.Linear(d_input, 4)
        self.pool = pool
        if show:
            self.features = self.sequence

    def sequence(self, x, tau=1.0):
        u, kept = self.inward(x), float(np.exp(-0.3 * tau))
        y = [torch.zeros_like(u[:, 0])]
        for k in range(1, u.shape[1]):
            y.append(kept * y[-1] + (1 - kept) * u[:, k - 1])
        return torch.stack(y, dim=1)

    def forward(self, x, tau=1.0):
        y = self.sequence(x, tau)
        return y.mean(1) if self.pool else y


def test_a_module_is_measured_in_float64_and_left_alone():
    model = Leaky().train()
    before = {k: v.clone() for k, v in model.state_dict().items()}
    result = model_continuity(model, **FEW)
    assert (result.outcome, result.dtype, result.scope) == (Outcome.CONVERGES, "float64", "model")
    assert result.d_input == 3
    assert result.name == "Leaky"
    assert model.training
    assert all(torch.equal(before[k], v) for k, v in model.state_dict().items())
    assert model.inward.weight.dtype == torch.float32


def test_a_pooling_model_whose_memory_is_not_seen_promises_nothing_and_says_why():
    def pooling(x, tau=1.0):
        return Leaky.sequence(shared, torch.as_tensor(x), tau).numpy().mean(1)

    result = model_continuity(pooling, **FEW)
    shown = " ".join(repr(result).split())
    assert result.outcome is Outcome.CONVERGES
    assert result.memory is None
    assert "pools over time" in result.reasons["memory"]
    assert "CONVERGES: outputs converge; memory was not seen, so this does not say" in shown
    assert "try give the model a method features(x)" in shown
    assert result.notes[0].startswith("The memory was not seen.")


def test_a_pooling_model_without_features_is_watched():
    result = model_continuity(Leaky(pool=True), **FEW)
    alike = model_continuity(Leaky(pool=True, show=True), **FEW)
    assert result.outcome is Outcome.CONVERGES
    assert {row.layer for row in result.memory} == {"pooled"}
    assert len(result.memory) == len(alike.memory)
    assert any("which mean reads" in note for note in result.notes)
    assert "at what it pools" in " ".join(repr(result).split())


def test_a_pooling_model_shows_its_memory_at_the_features():
    result = model_continuity(Leaky(pool=True, show=True), **FEW)
    assert {row.layer for row in result.memory} == {"features"}
    assert {row.layer for row in result.errors} == {"output"}
    assert result.layers == ("output", "features")
    assert result.memory[0].memory > 0


def test_a_feature_extractor_that_fails_is_named_and_the_model_watched():
    class Odd(Leaky):
        def features(self, x, tau=1.0):
            raise RuntimeError("needs a mask")

    result = model_continuity(Odd(pool=True), **FEW)
    assert {row.layer for row in result.memory} == {"pooled"}
    words = "its features(x) fails (RuntimeError: needs a mask (tests"
    assert any(words in note for note in result.notes)


def test_a_recurrence_with_a_tuple_output_is_measured_natively():
    result = model_continuity(nn.GRU(2, 5, batch_first=True), seeds=2)
    assert result.d_input == 2
    assert result.protocol == "native"
    assert result.outcome is Outcome.MEMORY_COLLAPSES
    assert "no parameter named tau" in result.reasons["protocol"]


def test_a_model_that_says_it_cannot_be_told_is_not_told():
    class Deaf(Leaky):
        takes_tau = False

    result = model_continuity(Deaf(), **FEW)
    assert result.protocol == "native"
    assert "takes_tau = False" in result.reasons["protocol"]


def test_a_pointwise_network_is_memoryless():
    result = model_continuity(nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2)), **FEW)
    assert result.outcome is Outcome.MEMORYLESS
    assert result.order is None
    assert result.memory[0].memory == 0.0


def test_a_module_that_needs_float32_is_measured_in_it_and_said_so():
    class Single(Leaky):
        def forward(self, x, tau=1.0):
            if x.dtype != torch.float32:
                raise RuntimeError("expected Float")
            return super().forward(x, tau)

    result = model_continuity(Single(), **FEW)
    assert result.dtype == "float32"
    assert any("expected Float" in note for note in result.notes)
    assert result.error_budget.rounding >= np.finfo(np.float32).eps


def test_an_output_in_float32_sets_the_rounding():
    result = model_continuity(lambda x, tau=1.0: Leaky.sequence(shared, x, tau).float(), **FEW)
    assert result.dtype == "float64 tensors to float32"


shared = Leaky(1).double()


def test_complex_parameters_are_cast_too():
    class Rotating(Leaky):
        def __init__(self) -> None:
            super().__init__()
            self.phase = nn.Parameter(torch.tensor([0.3 + 0.4j], dtype=torch.complex64))

        def forward(self, x, tau=1.0):
            if self.phase.dtype != torch.complex128:
                raise RuntimeError("single precision")
            return super().forward(x, tau) * self.phase.real

    result = model_continuity(Rotating(), **FEW)
    assert result.dtype == "float64"


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.cumsum(x, axis=1),
        lambda x: torch.cumsum(x, dim=1),
        lambda x: x.cumsum(1),
        lambda x: np.cumsum(x, axis=1)[:, :, 0],
    ],
    ids=["numpy", "torch", "either", "without channels"],
)
def test_functions_of_arrays_and_of_tensors(function):
    result = model_continuity(function, **FEW)
    assert result.outcome is Outcome.DIVERGES
    assert result.name == "function"


def test_a_function_around_a_float32_network():
    net = Leaky(1)
    result = model_continuity(lambda x, tau=1.0: net(x, tau=tau).detach(), **FEW)
    assert result.dtype == "float32 tensors"
    assert result.outcome is Outcome.CONVERGES


class Normed(nn.Module):
    """Normalises over its batch, and drops out, while it is in training mode."""

    def __init__(self, share: float = 0.0) -> None:
        super().__init__()
        self.inward, self.norm, self.drop = nn.Linear(1, 4), nn.BatchNorm1d(4), nn.Dropout(share)

    def forward(self, x):
        return self.drop(self.norm(self.inward(x.float()).mT).mT)


def test_sequences_that_touch_in_a_batch_are_an_error():
    net = Normed()
    for model in (nn.GRU(1, 4), lambda x: net(x)):
        with pytest.raises(ModelError, match="depends on the others in its batch") as caught:
            model_continuity(model, **FEW)
        assert "batch_first=True" in str(caught.value)
        assert "model.eval()" in str(caught.value)
    assert model_continuity(net, **FEW).outcome is Outcome.MEMORYLESS  # in eval mode they do not


def test_an_output_for_a_part_of_the_batch_is_an_error():
    with pytest.raises(ModelError, match="one output for each sequence"):
        model_continuity(lambda x: x[:1], **FEW)


def test_a_model_that_takes_one_sequence_at_a_time_is_measured_and_said_so():
    def single(x):
        if len(x) > 1:
            raise ValueError("one at a time")
        return np.cumsum(x, axis=1)

    result = model_continuity(single, **FEW)
    assert result.outcome is Outcome.DIVERGES
    assert any("ValueError: one at a time" in note for note in result.notes)


def test_chance_and_state_are_errors():
    noisy, calls = Normed(0.5), []
    noisy.norm.eval()

    def counting(x):
        calls.append(1)
        return x * len(calls)

    for model in (lambda x: noisy(x), counting):
        with pytest.raises(ModelError, match=r"called twice on the same input[\s\S]*model.eval"):
            model_continuity(model, **FEW)


@pytest.mark.parametrize("function", [lambda x: 0 * x + 3, lambda x: 0 * x.mean(1)])
def test_an_output_that_does_not_depend_on_the_input_is_an_outcome(function):
    result = model_continuity(function, **FEW)
    assert result.outcome is Outcome.UNRESPONSIVE
    assert "the same whatever the input" in " ".join(repr(result).split())


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyError("k"), "KeyError: 'k'"),
        (SystemExit(3), r"sys.exit\(3\)"),
        (ZeroDivisionError("none"), "ZeroDivisionError: none"),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_whatever_a_model_raises_is_an_error_that_says_where(error, words, late):
    def failing(x):
        if not late or x.shape[1] > 150:
            raise error
        return x

    with pytest.raises(ModelError, match=rf"{words} \(.*test_adapters.py, line \d+\)") as caught:
        model_continuity(failing, **FEW)
    assert error in (caught.value.__cause__, caught.value.__cause__.__cause__)


def test_an_interrupt_in_a_model_passes():
    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model_continuity(interrupted, **FEW)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: x[:, :, :0], "output is empty"),
        (lambda x: x if x.shape[1] < 50 else np.dstack([x, x]), "always the same channels"),
        (lambda x: x if x.shape[1] < 150 else np.dstack([x, x]), "changes its form"),
        (lambda x: x if x.shape[1] < 150 else x[:, 1:], "changes its form"),
    ],
    ids=["empty", "channels", "channels, later", "times, later"],
)
def test_an_output_whose_form_depends_on_the_length_is_an_error(function, words):
    with pytest.raises(ModelError, match=words):
        model_continuity(function, **FEW)


def test_a_model_that_cannot_be_copied_gets_the_way_around():
    class Single(nn.Linear):
        def __deepcopy__(self, memo):
            raise KeyError("only one")

    with pytest.raises(ModelError, match=r"KeyError[\s\S]*lambda x: model"):
        model_continuity(Single(1, 1), **FEW)


def test_an_unknown_width_asks_for_it():
    class Bare(nn.Module):
        def forward(self, x):
            return x

    with pytest.raises(ModelError, match="Try d_input="):
        model_continuity(Bare())
    assert model_continuity(Bare(), d_input=2, **FEW).d_input == 2


@pytest.mark.parametrize(
    ("module", "width"),
    [
        (nn.Linear(3, 1), 3),
        (nn.Sequential(nn.LSTM(5, 2, batch_first=True)), 5),
    ],
    ids=["in_features", "input_size"],
)
def test_the_width_is_that_of_the_first_submodule_that_has_one(module, width):
    assert model_continuity(module, **FEW).d_input == width


def test_a_wrong_width_says_what_the_model_said():
    with pytest.raises(ModelError, match="cannot be measured"):
        model_continuity(nn.Linear(3, 1), d_input=2, **FEW)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: x[:, ::2], "does not fit the input"),
        (lambda x: {"y": x}, "dict"),
        (lambda x: x + 1j, "must be real"),
        (lambda x: x / 0.0, "NaN or infinity"),
        (lambda x: x.no_such_method(), "no_such_method"),
    ],
    ids=["decimates", "dict", "complex", "infinite", "broken"],
)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_an_output_that_cannot_be_read_is_an_error_that_says_so(function, words):
    with pytest.raises(ModelError, match=words):
        model_continuity(function, **FEW)


def test_a_model_that_blows_up_on_a_finer_grid_is_an_error():
    def exploding(x):
        return x * (1.0 if x.shape[1] < 100 else np.inf)

    with pytest.raises(ModelError, match="fewer levels"):
        model_continuity(exploding, **FEW)


class Channels(nn.Conv1d):
    """Takes (batch, channel, time), as torch's convolutions do."""

    def __init__(self):
        super().__init__(3, 2, 3, padding=1)


def test_a_model_of_the_other_layout_is_told_how_to_be_wrapped():
    model = Channels()
    with pytest.raises(ModelError, match=r"(?s)swapaxes\(1, 2\).*runs on \(batch, channel, time\)"):
        model_continuity(model, d_input=3, **FEW)

    def wrapped(x):
        return model(x.swapaxes(1, 2).float()).swapaxes(1, 2)

    assert model_continuity(wrapped, d_input=3, **FEW).outcome is not None
    with pytest.raises(ModelError, match="d_input="):
        model_continuity(nn.Linear(5, 2), d_input=3, **FEW)


def test_a_model_that_answers_with_a_dict_is_told_how_to_choose():
    with pytest.raises(
        ModelError, match=r"(?s)dict with 'a', 'b'.*ModelAdapter\(model, output='a'\)"
    ):
        model_continuity(lambda x: {"a": x, "b": x}, **FEW)


def test_an_argument_that_may_be_the_step_is_named():
    def untold(x, dt=0.1):
        return x * dt

    (note,) = [n for n in model_continuity(untold, **FEW).notes if "natively" in n]
    assert "if dt is its step, ModelAdapter(model, tau='dt') tells it" in note


def test_a_model_of_so_many_samples_alone_is_told_of_fewer_levels():
    def positions(x):
        return x + np.zeros((1, 100, 1))[:, : x.shape[1]]

    with pytest.raises(ModelError, match=r"(?s)on level 2 .*Try fewer levels or a shorter length"):
        model_continuity(positions, **FEW)
