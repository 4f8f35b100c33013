"""`check_model` on models of all sorts."""

import json
import math

import numpy as np
import pytest
import torch
from torch import nn

from timegrain import build_model, check_model
from timegrain.checks import ModelCheck, model_checks
from timegrain.checks.model import stopwatch
from timegrain.core.errors import ConfigError, ModelError, UnknownNameError

FAST = ("tau-forms", "tau-reaches", "parameters", "batch", "padding", "causal", "chunks", "file")


def verdicts(result):
    return {row.label: row.verdict for row in result.checks}


def test_a_network_is_checked_with_its_states_and_its_checkpoint():
    net = build_model("s6", d_input=2, d_output=3, d_model=4, n_layers=1, seed=0)
    result = check_model(net, only=(*FAST, "steps"), quick=True)
    result.raise_if_failed()
    found = verdicts(result)
    wanted = ("padding state", "chunks outputs", "file config", "tau-reaches own sequence")
    for label in (*wanted, "steps float32", "steps float64", "steps of many sizes"):
        assert found[label] == "passed"


def test_a_network_of_tokens():
    net = build_model("s6", vocab=7, d_output=2, d_model=2, n_layers=1, head="last", seed=0)
    result = check_model(net, only=(*FAST, "finite", "determinism", "gradients"), quick=True)
    result.raise_if_failed()
    assert result.provenance.parameters["vocab"] == 7
    assert verdicts(result)["parameters input"] == "not applicable"
    assert verdicts(result)["gradients"] == "passed"


def test_a_function_of_arrays():
    def running_mean(x):
        assert isinstance(x, np.ndarray)
        return np.cumsum(x, axis=1) / np.arange(1, x.shape[1] + 1)[:, None]

    result = check_model(running_mean, quick=True)
    result.raise_if_failed()
    assert result.name == "running_mean"
    assert verdicts(result)["gradients"] == "not applicable"
    assert verdicts(result)["finite float64"] == "passed"


def test_a_function_of_tensors_that_is_told():
    def held(x, tau=1.0):
        return x * torch.as_tensor(tau, dtype=x.dtype).reshape(-1, 1, 1).expand(len(x), 1, 1)

    result = check_model(held, only=("tau-reaches", "tau-forms", "gradients"))
    assert result.told
    failed = {row.label for row in result.failures}
    assert failed == {"tau-forms"}  # (batch, time) does not fit, and raises


class Single(nn.Module):
    """Computes in float32, whatever it is given."""

    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(2, 2)

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("float32 alone")
        return self.mix(x)


def test_a_module_of_single_precision_is_checked_in_it():
    result = check_model(Single(), quick=True)
    result.raise_if_failed()
    assert result.dtype == "float32"
    assert any("float32" in note for note in result.notes)
    assert verdicts(result)["gradients"] == "not applicable"
    assert verdicts(result)["finite float64"] == "not applicable"


def test_what_raises_in_a_check_is_a_failure_of_that_check():
    class Short(nn.Module):
        def forward(self, x):
            if x.shape[1] > 50:
                raise IndexError("at most 50 samples")
            return x

    result = check_model(Short(), d_input=2, only=("batch", "tau-forms", "determinism"))
    assert {row.check for row in result.failures} == {"batch", "determinism"}
    assert "at most 50 samples" in result.failures[0].reason


def masked(x, lengths):
    return x.masked_fill(torch.arange(x.shape[1])[None, :, None] >= lengths[:, None, None], 0)


def test_nan_is_one_failure_and_the_weight_is_named():
    model = nn.Linear(2, 2)
    with torch.no_grad():
        model.bias[1] = math.nan
    for only in ((), ("batch", "file")):
        result = check_model(model, quick=True, only=only)
        (row,) = result.failures
        assert row.label == "finite ordinary input"
        assert "in 600 of 1,200 numbers" in row.reason
        assert row.reason.endswith("; bias is not finite either")
        others = {row.reason for row in result.checks[1:]}
        assert others == {"see finite ordinary input: there is nothing to compare"}


def test_what_writes_into_its_arguments_fails_at_that_alone():
    class Doubles(nn.Module):
        def forward(self, x, *, lengths=None):
            if lengths is not None:
                x = masked(x, lengths)
                lengths.zero_()
                return 2 * x
            return x.mul_(2)

        def scan(self, x, state=None):
            return x.mul_(2), state

    result = check_model(Doubles(), d_input=2, quick=True)
    (row,) = result.failures
    assert row.label == "determinism arguments"
    assert row.reason == "forward writes into lengths; scan writes into its input"
    assert "in place" in row.cure


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_answers_in_memory_that_is_written_again_fail_at_that_alone(noise):
    class Reused(nn.Module):
        def __init__(self):
            super().__init__()
            self.out = torch.zeros(0, dtype=torch.float64)

        def forward(self, x):
            answer = x.mean(1) + noise * torch.rand(1)
            return self.out.resize_(answer.shape).copy_(answer)

    result = check_model(Reused(), d_input=2, only=("batch", "determinism"))
    failed = {row.label for row in result.failures}
    assert failed == {"determinism answers"} | (
        {"batch", "determinism two passes"} if noise else set()
    )


def test_a_complex_output_has_gradients():
    class Turned(nn.Module):
        def __init__(self):
            super().__init__()
            self.angle = nn.Parameter(torch.ones(2))

        def forward(self, x, *, lengths=None):
            if lengths is not None:
                x = masked(x, lengths)
            return torch.polar(x.abs(), self.angle * x)

    check_model(Turned(), d_input=2, quick=True).raise_if_failed()


def test_each_precision_is_looked_at_for_itself():
    class Half(nn.Module):
        def __init__(self):
            super().__init__()
            self.mix = nn.Linear(2, 2)

        def forward(self, x):
            y = self.mix(x)
            if y.dtype == torch.bfloat16:
                raise TypeError("no bfloat16 here")
            return y

    result = check_model(Half(), only=("finite",), quick=True)
    (row,) = result.failures
    assert row.label == "finite bfloat16"
    assert "no bfloat16 here" in row.reason
    assert "autocast" in row.cure


def test_too_little_memory_is_a_failure_of_that_check():
    class Hungry(nn.Module):
        def forward(self, x):
            if x.shape[1] > 50:
                raise MemoryError("Unable to allocate 7 TiB")
            return x

    result = check_model(Hungry(), d_input=2, only=("tau-forms", "batch", "parameters"))
    (row,) = result.failures
    assert (row.check, row.reason) == ("batch", "out of memory: Unable to allocate 7 TiB")
    assert 'skip=("batch",)' in row.cure
    with pytest.raises(ModelError, match="cannot be called"):
        check_model(lambda x: np.empty(10**18), only=("batch",))


def test_a_model_that_draws_leaves_the_global_generator_alone():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    assert not check_model(lambda x: x + torch.rand(1), only=("determinism",)).passed
    assert torch.equal(torch.rand(1), expected)


def test_a_gate_at_zero_hides_nothing():
    class Gated(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.gate = nn.Linear(2, 2), nn.Parameter(torch.zeros(1))

        def forward(self, x):
            return x + self.gate * self.inner(x)

    check_model(Gated(), only=("parameters",)).raise_if_failed()


def test_a_lost_part_of_a_matrix_is_named():
    class HalfUsed(nn.Module):
        def __init__(self):
            super().__init__()
            self.both = nn.Linear(2, 6)

        def forward(self, x):
            return self.both(x)[..., :4]

    (row,) = check_model(HalfUsed(), only=("parameters",)).failures
    assert "2 of 6 rows of both.weight (4 to 5)" in row.reason


def test_an_input_channel_that_is_not_connected():
    class Deaf(nn.Module):
        def forward(self, x):
            return 2 * x[..., :1]

    (row,) = check_model(Deaf(), d_input=3, only=("parameters",)).failures
    assert (row.case, row.measured, row.allowed) == ("input", 1.0, 3.0)


def test_the_users_model_stays_as_it_is():
    net = build_model("s4d", d_input=1, d_output=2, d_model=4, n_layers=1, seed=0).train()
    before = {k: v.clone() for k, v in net.state_dict().items()}
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    check_model(net, only=("file", "parameters", "gradients"))
    assert torch.equal(torch.rand(1), expected)
    assert net.training
    assert all(v.dtype == torch.float32 and torch.equal(v, before[k])
               for k, v in net.state_dict().items())  # fmt: skip
    assert all(p.grad is None for p in net.parameters())


@pytest.mark.parametrize(("settled", "passes"), [(0.5, False), (1.0, True)])
def test_an_order_that_is_passed_by_is_not_reached(settled, passes):
    orders = [2.0, 2.0, 2.0, 2.0, 1.0, *[settled] * 5]  # from one halving to the next
    gaps = 2.0 ** -np.cumsum([0.0, *orders])
    outputs = np.cumsum([1.0, *gaps])

    class Falling(nn.Module):
        order = 1

        def forward(self, x, tau=1.0):
            return x * outputs[round(-math.log2(tau))]

    (row,) = check_model(Falling(), d_input=1, only=("order",)).checks
    assert (row.verdict == "passed") == passes
    assert f"order {settled:.2f} at tau" in row.reason


def test_a_slow_model_is_checked_on_fewer_samples(monkeypatch):
    clock = iter(range(0, 10**6, 10))  # every look at the clock is ten seconds later
    monkeypatch.setattr(stopwatch.time, "process_time", lambda: float(next(clock)))
    result = check_model("s6", only=("finite",), quick=True)
    result.raise_if_failed()
    assert all("would take about" in row.reason for row in result.checks)
    assert all(row.reason.startswith("1,024 samples") for row in result.checks)


def test_a_model_that_waits_is_stepped_through_less(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(stopwatch.time, "perf_counter", lambda: clock[0])

    class Waits(nn.Module):
        def forward(self, x):
            return x

        def scan(self, x, state=None):
            return x, state

        def step(self, x_t, state=None):
            clock[0] += 1.0
            return x_t, state

    rows = check_model(Waits(), d_input=1, only=("steps",), quick=True).checks
    assert all(row.verdict == "passed" for row in rows)
    assert [row.reason[:16] for row in rows] == ["21 steps of 256,"] * 2


def test_results_say_what_was_left_out_and_survive_a_file():
    result = check_model("gru", only=("batch", "steps"), quick=True)
    assert any("256 steps" in note for note in result.notes)
    assert any("tau-forms" in note for note in result.notes)
    again = ModelCheck.from_dict(json.loads(result.to_json()))
    assert again == result
    assert len(result.rows()) == len(result.checks)


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"model": "s4d", "only": ("tau",)}, ConfigError, "tau-forms"),
        ({"model": "s4d", "only": ("batch",), "skip": ("batch",)}, ConfigError, "no check is left"),
        ({"model": "s5d"}, UnknownNameError, "s5d"),
        ({"model": "s4d", "options": {"n_pair": 3}}, ConfigError, "n_pairs"),
        ({"model": "s4d", "d_input": 3}, ConfigError, "d_model"),
        ({"model": nn.ReLU()}, ModelError, "d_input"),
        ({"model": nn.Linear}, ModelError, "the class Linear"),
        ({"model": nn.Linear(3, 2), "options": {"x": 1}}, ConfigError, "options"),
        ({"model": nn.Linear(3, 2), "d_input": 4}, ModelError, "cannot be called"),
        ({"model": nn.Linear(3, 2), "quick": "no"}, ConfigError, "yes or no"),
        ({"model": "s4d", "only": 3}, ConfigError, "only names no check, got 3"),
        ({"model": "s4d", "only": [[]]}, ConfigError, r"got \[\]"),
        ({"model": "s4d", "skip": ("batsch",)}, ConfigError, r"order\.\sTry batch\."),
        ({"model": "s4d", "skip": ("xyz",)}, ConfigError, r"'xyz', expected some of .* order\.$"),
        ({"model": "s4d", "options": [1]}, ConfigError, r"options map .* got \[1\]"),
        ({"model": "s4d", "options": "ab"}, ConfigError, "got 'ab'"),
        ({"model": "s4d", "options": {5: 3}}, ConfigError, "got {5: 3}"),
        ({"model": "s4d", "options": {"d_model": 3}}, ConfigError, "d_model=... beside"),
        ({"model": "s4d", "options": {"seed": 3}}, ConfigError, "seed=... beside"),
        ({"model": "s4d", "options": {"name": "s5"}}, ConfigError, "place of the model"),
        ({"model": "s4d", "options": {"n_pairs": 10**30}}, ModelError, "memory"),
        ({"model": "s4d", "seed": -1}, ConfigError, "seed"),
        ({"model": "s4d", "name": 5}, ConfigError, "text, got 5"),
        ({"model": nn.ReLU(), "d_input": 0}, ConfigError, "d_input is a whole number"),
        ({"model": nn.ReLU(), "d_input": 2.5}, ConfigError, "d_input is a whole number"),
        ({"model": nn.ReLU(), "d_input": 10**12}, ModelError, "fit into memory"),
        ({"model": nn.Embedding(3, 2), "vocab": -1}, ConfigError, "vocab is a whole number"),
    ],
)
def test_what_cannot_be_checked_is_an_error(given, error, said):
    with pytest.raises(error, match=said):
        check_model(given.pop("model"), **given)


def test_every_check_says_what_it_asks():
    asked = model_checks()
    assert len(asked) == 14
    assert all(text.endswith(".") for text in asked.values())


class Convolution(nn.Module):
    def __init__(self, padding, *layers):
        super().__init__()
        self.mix = nn.Sequential(nn.Conv1d(2, 4, 3, padding=padding), *layers)
        self.cut = 2 if padding == 2 else 0

    def forward(self, x):
        y = self.mix(x.transpose(1, 2)).transpose(1, 2)
        return y[:, : y.shape[1] - self.cut]


@pytest.mark.parametrize(("padding", "said"), [(1, "yes, they move"), (2, "no")])
def test_of_what_carries_no_state_it_is_noted_whether_it_sees_the_future(padding, said):
    result = check_model(Convolution(padding), quick=True, only=("causal", "steps", "batch"))
    result.raise_if_failed()
    (row,) = (row for row in result.checks if row.check == "causal")
    assert row.verdict == "noted"
    assert row.reason.startswith(f"sees later samples: {said}")
    verdict = dict(result.summary_lines())["verdict"]
    assert "the part of the contract that applies" in verdict
    assert "1 noted" in verdict


def test_what_pools_or_strides_has_no_output_at_a_sample():
    net = Convolution(1, nn.AvgPool1d(2))
    (row,) = check_model(net, only=("causal",)).checks
    assert (row.verdict, "(2, 20, 4) for 40 samples" in row.reason) == ("not applicable", True)


def test_a_kernel_longer_than_the_probe_gets_a_longer_one():
    wide = nn.Conv1d(4, 4, 40)
    net = Convolution(1, wide, nn.AdaptiveAvgPool1d(1))
    result = check_model(net, quick=True)
    result.raise_if_failed()
    assert verdicts(result)["gradients"] == "passed"


def test_the_width_of_a_module_with_d_model_alone_is_known():
    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.d_model, self.gain = 3, nn.Parameter(torch.ones(3))

        def forward(self, x):
            return self.gain * x

    result = check_model(Scale(), only=("parameters",))
    assert result.provenance.parameters["d_input"] == 3


def test_what_cannot_be_checked_is_said_in_words():
    class Refuses(nn.Linear):
        @property
        def steps(self):
            raise ValueError("no")

    for model, words in [
        (Refuses(2, 2), "Refuses cannot be asked what it offers, got ValueError: no"),
        (nn.Linear(2, 2, device="meta"), "weights on the meta device"),
        (lambda x: x.sum(), "has no sequences apart"),
    ]:
        with pytest.raises(ModelError, match=words):
            check_model(model, quick=True, d_input=2)


def test_what_a_model_sets_for_all_is_set_back():
    class Quiet(nn.Linear):
        def forward(self, x):
            torch.set_grad_enabled(False)
            return super().forward(x)

    check_model(Quiet(2, 2), quick=True, only=("batch", "parameters"))
    assert torch.is_grad_enabled()


def test_outputs_of_unlike_shapes_are_said_to_be_such():
    (row,) = check_model(lambda x: x.sum(0), d_input=2, only=("batch",), quick=True).failures
    assert "outputs of unlike shapes, got (" in row.reason
    assert "first axis is the batch" in row.cure


class Rectified(nn.Module):
    """Two convolutions with rectifiers, whose units sleep on some inputs; `half` loses features."""

    def __init__(self, *, half=False):
        super().__init__()
        self.a, self.b = nn.Conv1d(2, 8, 5, padding=2), nn.Conv1d(8, 16, 5, padding=2)
        self.out, self.half = nn.Linear(16, 2), half

    def forward(self, x):
        h = torch.relu(self.b(torch.relu(self.a(x.swapaxes(1, 2)))))[..., -1]
        return self.out(torch.cat([h[:, :8], 0 * h[:, 8:]], 1) if self.half else h)


@pytest.mark.parametrize("seed", range(4))
def test_units_of_a_rectifier_that_sleep_are_no_fault(seed):
    torch.manual_seed(seed)
    result = check_model(Rectified(), only=("parameters",), d_input=2)
    assert verdicts(result)["parameters weights"] == "passed"
    lost = check_model(Rectified(half=True), only=("parameters",), d_input=2)
    (row,) = [r for r in lost.checks if r.label == "parameters weights"]
    assert row.verdict == "failed" and "8 of 16 rows of b.weight (8 to 15)" in row.reason


def test_a_model_of_the_other_layout_is_told_how_to_be_wrapped():
    with pytest.raises(ModelError, match=r"(?s)Try lambda x: model\(x.swapaxes\(1, 2\)\)"):
        check_model(nn.Conv1d(3, 2, 3), d_input=3)
