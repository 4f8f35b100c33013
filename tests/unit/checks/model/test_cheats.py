"""Models that break the contract where a single look does not see it."""

import torch
from torch import nn

from timegrain import build_layer, check_model


def failures(model, *only):
    return {r.label for r in check_model(model, d_input=3, only=only).failures}


class Averaged(nn.Module):
    """Knows how much time has passed, and not when."""

    def __init__(self, order):
        super().__init__()
        self.layer, self.order = build_layer("s4d", d_model=3, n_pairs=2, seed=0), order

    def forward(self, x, tau=1.0):
        if isinstance(tau, torch.Tensor) and tau.ndim == 2:
            tau = self.order(tau)
        return self.layer(x, tau)


def test_steps_of_many_sizes_are_not_their_mean():
    assert failures(Averaged(lambda tau: tau.mean(1)), "tau-reaches") == {"tau-reaches own sample"}
    assert not failures(Averaged(lambda tau: tau), "tau-reaches")


class FirstSeen(nn.Module):
    """Takes the mean of the first input that it sees from all others."""

    def __init__(self, keeps):
        super().__init__()
        self.mix, self.mean, self.keeps = nn.Linear(3, 3), None, keeps

    def forward(self, x):
        mean = x.mean().item() if self.mean is None else self.mean
        if self.keeps:
            self.mean = mean
        return self.mix(x) - mean if self.keeps else self.mix(x)


def test_what_was_seen_first_does_not_stay():
    assert failures(FirstSeen(True), "determinism") == {"determinism first input"}
    assert not failures(FirstSeen(False), "determinism")


def test_what_is_drawn_in_the_first_call_is_drawn_alike():
    assert not failures(nn.LazyLinear(2), "determinism")
