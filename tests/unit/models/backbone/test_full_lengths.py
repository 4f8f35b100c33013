"""Lengths that leave no sample out, as if there were none."""

import pytest
import torch

from timegrain.models import build_model
from timegrain.models.steps import where_missing


@pytest.mark.parametrize("name", ["s4d", "gru", "transformer"])
@pytest.mark.parametrize("norm", ["layer", "batch"])
@pytest.mark.parametrize("head", ["mean", "last", "step"])
def test_a_network_computes_the_same_bits(name, norm, head):
    x, found = torch.randn(3, 9, 2), []
    for lengths in (None, torch.full((3,), 9)):
        net = build_model(
            name, d_input=2, d_output=2, d_model=4, n_layers=1, seed=0, norm=norm, head=head
        )
        y = net(x, 2.0, lengths=lengths)
        y.square().mean().backward()
        found.append([y, *(p.grad for p in net.parameters())])
    for a, b in zip(*found, strict=True):
        assert (a is None and b is None) or torch.equal(a, b)


def test_layers_are_then_told_of_no_lengths():
    net, told = build_model("s4d", d_input=2, d_output=1, d_model=4, n_layers=1), []
    net.mixers[0].register_forward_pre_hook(
        lambda layer, args, words: told.append(words["lengths"]), with_kwargs=True
    )
    some, x = torch.tensor([9, 8]), torch.zeros(2, 9, 2)
    for lengths in (torch.tensor([9, 9]), some):
        net(x, lengths=lengths)
        net.from_embedding(net.embed(x, lengths=lengths), lengths=lengths)
    assert told[:2] == [None, None]
    assert told[2] is told[3] is some


@pytest.mark.parametrize(
    "wrong", [[9, 9], torch.tensor([9]), torch.tensor([9, 10]), torch.tensor([9.0, 9.0])]
)
def test_what_does_not_fit_is_left_to_the_checks(wrong):
    assert where_missing(torch.zeros(2, 9, 2), wrong) is wrong


@pytest.mark.parametrize("head", ["mean", "last", "step"])
@pytest.mark.parametrize(
    "kind", [torch.uint8, torch.int8, torch.int16, torch.uint16, torch.uint64], ids=str
)
def test_lengths_are_the_same_in_any_integer_type(head, kind):
    # as many sequences as samples: a mask of uint8 would fit
    net = build_model("s6", d_input=2, d_output=2, d_model=4, n_layers=1, seed=0, head=head)
    x, lengths = torch.randn(5, 5, 2), torch.tensor([5, 2, 3, 4, 1])
    assert torch.equal(net(x, lengths=lengths.to(kind)), net(x, lengths=lengths))


def test_lengths_are_not_counted_in_the_numbers_of_their_type():
    short = torch.full((1,), 44)
    assert where_missing(torch.zeros(1, 300, 1), short.to(torch.uint8)).equal(short)  # 300 is 44
