"""`localise` on small modules whose weak spot is known."""

import json

import pytest
import torch
from torch import nn

from timegrain.continuity.localisation.measure import Localisation, localise
from timegrain.core import ConfigError, ModelError, Outcome, read_result

FEW = {"seeds": 1, "length": 16, "levels": 4}


class Leaky(nn.Module):
    """y' = x - y, the input held over each step."""

    order = 1

    def forward(self, x, tau=1.0):
        kept = torch.exp(torch.tensor(-tau, dtype=x.dtype))
        y = [torch.zeros_like(x[:, 0])]
        for u in x.unbind(1)[1:]:
            y.append(kept * y[-1] + (1 - kept) * u)
        return torch.stack(y, 1)


class Indexed(nn.Module):
    """Adds a number of the sample, which knows nothing of time."""

    def forward(self, x):
        return x + torch.log2(1.0 + torch.arange(x.shape[1], dtype=x.dtype))[None, :, None]


class Chain(nn.Module):
    def __init__(self, *, forgets=False, counts=False):
        super().__init__()
        self.lift = nn.Linear(2, 3)
        self.count = Indexed() if counts else nn.Identity()
        self.leaky = Leaky()
        self.act = nn.Tanh()
        self.forgets = forgets

    def forward(self, x, tau=1.0):
        h = self.act(self.count(self.lift(x)))
        return self.act(self.leaky(h, tau=1.0 if self.forgets else tau))


def test_a_model_that_keeps_continuity_names_none():
    result = localise(Chain(), **FEW)
    assert (result.first, result.outcome) == (None, Outcome.CONVERGES)
    assert result.at("leaky").order == pytest.approx(1.0, abs=0.1)
    assert result.at("leaky").memory_ratio > 0.7
    assert [row.module for row in result.modules] == ["lift", "count", "leaky", ""]
    assert "no module" in result.message


def test_a_recurrence_that_is_not_told_its_step_is_named():
    result = localise(Chain(forgets=True), **FEW)
    assert (result.first, result.outcome) == ("leaky", Outcome.MEMORY_COLLAPSES)
    row = result.at("leaky")
    # the memory of y' = x - y in samples is that of time at tau 1: 2^-4 of it on the finest grid
    assert row.memory_ratio < 0.15
    assert "its memory falls" in result.because.lower()
    assert result.at("").loses == "memory"


def test_values_without_a_limit_are_named_before_the_memory_that_goes_later():
    result = localise(Chain(counts=True, forgets=True), **FEW)
    assert (result.first, result.outcome) == ("count", Outcome.STALLS)
    assert result.at("count").outcome is Outcome.MEMORYLESS
    assert result.at("count").loses == "convergence"
    assert "limit" in result.because


def test_what_a_module_computes_beside_its_submodules_is_its_own():
    class Inline(nn.Module):
        def __init__(self):
            super().__init__()
            self.lift = nn.Linear(2, 3)

        def forward(self, x):
            return Leaky.forward(self, self.lift(x))

    result = localise(Inline(), **FEW)
    assert result.first == "(model)"
    assert "beside them" in result.because


def test_modules_that_belong_to_no_model_are_refused():
    lift, leaky = nn.Linear(2, 3).double(), Leaky()
    with pytest.raises(ModelError, match="not part of one"):
        localise(lambda x, tau=1.0: leaky(lift(torch.as_tensor(x)), tau), d_input=2, **FEW)


def test_every_layout_is_read_and_the_rest_is_skipped_with_its_reason():
    class Layouts(nn.Module):
        def __init__(self):
            super().__init__()
            self.swap = nn.Conv1d(2, 16, 3, padding=1)  # as many channels as samples
            self.recur = nn.GRU(16, 3)  # (time, batch, channel), and a tuple
            self.pool = nn.AdaptiveAvgPool1d(1)
            self.unpadded = nn.Conv1d(3, 3, 3)
            self.twice = nn.Tanh()
            self.unused = nn.Linear(2, 2)
            self.square = nn.Identity()

        def forward(self, x):
            h = self.swap(x.transpose(1, 2)).permute(2, 0, 1)
            h = self.recur(self.twice(h))[0].permute(1, 2, 0)
            self.pool(h), self.unpadded(h), self.square(h.transpose(1, 2) @ h)
            return self.twice(h).transpose(1, 2)

    torch.manual_seed(0)
    result = localise(Layouts(), **FEW)
    shapes = {row.module: row.shape for row in result.modules}
    assert shapes == {"swap": "1 16 time", "recur": "time 1 3", "": "1 time 3"}
    reasons = {skipped.module: skipped.reason for skipped in result.skipped}
    assert reasons == {
        "pool": "its output has no axis of time",
        "unpadded": "its output has 14 times for an input of 16",
        "twice": "it is called 2 times in a run",
        "unused": "it is not called in a run, or not where hooks fire",
        "square": "its output has several axes of time",
    }
    assert result.first == "swap"  # a convolution of samples, like the recurrence after it
    assert result.at("recur").loses == ""


def test_amplitudes_give_every_module_an_exponent():
    result = localise(Leaky(), amplitudes=(0.5, 1.0, 2.0), d_input=2, **FEW)
    assert result.at("").amplitude_exponent == pytest.approx(0.0, abs=1e-9)  # it is linear
    assert localise(Chain(), **FEW).at("leaky").amplitude_exponent is None


def test_a_function_that_calls_a_module_is_followed():
    chain = Chain(forgets=True).double()
    result = localise(lambda x, tau=1.0: chain(torch.as_tensor(x), tau), d_input=2, **FEW)
    assert result.first == "leaky"
    with pytest.raises(ModelError, match="runs no module"):
        localise(lambda x: x, **FEW)


def test_a_pooling_model_is_followed_up_to_its_pooling():
    class Pooling(Chain):
        def features(self, x, tau=1.0):
            return super().forward(x, tau)

        def forward(self, x, tau=1.0):
            return self.features(x, tau).mean(1)

    result = localise(Pooling(forgets=True), **FEW)
    assert result.first == "leaky"
    assert {s.module for s in result.skipped} == {"", "act"}


def test_hooks_do_not_hide_what_no_submodule_returns():
    """The pooled sequence is found by the operations of a run, without those of the hooks."""

    class Pools(nn.Module):
        def __init__(self):
            super().__init__()
            self.gru = nn.GRU(2, 3, batch_first=True)
            self.head = nn.Linear(3, 2)

        def forward(self, x):
            return self.head(torch.flip(self.gru(x)[0], (2,)).mean(1))

    result = localise(Pools(), **FEW, d_input=2)
    assert result.first == "gru"
    assert "head" in {skipped.module for skipped in result.skipped}


def test_a_model_that_returns_nan_on_a_finer_grid_is_an_error():
    class Breaks(Chain):
        def forward(self, x, tau=1.0):
            y = super().forward(x, tau)
            return y * float("nan") if x.shape[1] > 100 else y

    with pytest.raises(ModelError, match="NaN"):
        localise(Breaks(), **FEW)


def test_too_few_levels_are_refused():
    with pytest.raises(ConfigError, match="levels"):
        localise(Chain(), seeds=1, length=16, levels=2)


def test_hooks_are_gone_afterwards():
    chain = Chain()
    localise(chain, **FEW)
    from torch.nn.modules import module

    assert not any(m._forward_hooks or m._forward_pre_hooks for m in chain.modules())
    assert not module._global_forward_pre_hooks


def test_a_result_is_stored_and_read_again():
    result = localise(Chain(forgets=True), **FEW)
    again = read_result(result.to_json())
    assert isinstance(again, Localisation)
    assert again == result
    rows = result.rows()
    assert [row["module"] for row in rows] == ["lift", "count", "leaky", "", "act"]
    assert rows[-1]["skipped"] == "it is called 2 times in a run"
    assert json.loads(result.to_json())["first"] == "leaky"
    assert max(map(len, repr(result).splitlines())) <= 80
    with pytest.raises(ModelError, match="called 2 times"):
        result.at("act")
