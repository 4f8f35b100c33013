import re

import numpy as np
import pytest
import torch

from timegrain.core.errors import GridError, LayoutError
from timegrain.models import build_layer, build_model
from timegrain.models.steps import read_step, read_steps, valid_mask

X = torch.zeros(2, 3, 1)


def test_a_float_stays_a_float():
    for tau in (0.5, np.float64(0.5), torch.tensor(0.5)):
        steps = read_steps(X, tau, None)
        assert steps.uniform
        assert steps.ratio == 0.5
    assert read_steps(X, 2, None).ratio == 2.0


def test_one_ratio_a_sequence_and_one_a_step():
    each = read_steps(X, torch.tensor([1.0, 2.0]), None)
    assert each.weights(X).tolist() == [[1, 1, 1], [2, 2, 2]]
    assert not each.uniform
    every = torch.arange(1.0, 7.0).view(2, 3)
    assert torch.equal(read_steps(X, every, None).weights(X), every)


def test_padding_takes_no_time_whatever_its_ratio():
    lengths = torch.tensor([3, 1])
    ratios = torch.tensor([[1.0, 2.0, 3.0], [4.0, float("nan"), -1.0]])
    assert read_steps(X, ratios, lengths).weights(X).tolist() == [[1, 2, 3], [4, 0, 0]]
    assert read_steps(X, 2.0, lengths).weights(X).tolist() == [[2, 2, 2], [2, 0, 0]]


def test_ratios_follow_the_input_in_precision():
    steps = read_steps(X, torch.tensor([1.0, 2.0], dtype=torch.float64), None)
    assert steps.weights(X).dtype == torch.float32


@pytest.mark.parametrize("tau", [0.0, -1.0, float("nan"), float("inf"), "fast", None, True])
def test_a_float_that_is_no_ratio(tau):
    with pytest.raises(GridError, match="tau is a ratio of steps"):
        read_steps(X, tau, None)
    with pytest.raises(GridError, match="tau is a ratio of steps"):
        read_step(X[:, 0], tau)


@pytest.mark.parametrize("tau", [1e300, 1e10, 1e-30, 10**400, "2", torch.tensor(2j), True])
def test_a_number_beyond_what_layers_can_do(tau):
    for read in (lambda: read_steps(X, tau, None), lambda: read_step(X[:, 0], tau)):
        with pytest.raises(GridError, match=r"tau is a ratio of steps.*(1e-20 to 1e9|a tensor)"):
            read()


@pytest.mark.parametrize("wrong", [1e39, 1e-50, float("inf"), float("nan")])
def test_what_float32_cannot_hold_is_named_as_it_was_passed(wrong):
    taus = torch.tensor([1.0, wrong], dtype=torch.float64)
    for read in (lambda: read_steps(X, taus, None), lambda: read_step(X[:, 0], taus)):
        with pytest.raises(GridError, match=re.escape(f"got {wrong} at sequence 1, sample 0")) as e:
            read()
        assert ("sorting the times" in str(e.value)) == (wrong == 1e-50)
    padded = torch.tensor([[1.0, 2.0, wrong], [3.0, 4.0, 5.0]], dtype=torch.float64)
    assert read_steps(X, padded, torch.tensor([2, 3])).weights(X)[0].tolist() == [1, 2, 0]


@pytest.mark.parametrize("kind", [torch.complex64, torch.bool])
def test_a_tensor_of_something_else_than_real_numbers(kind):
    for shape in ((2,), (2, 3)):
        with pytest.raises(GridError, match=f"got {kind}, expected real numbers"):
            read_steps(X, torch.ones(shape, dtype=kind), None)
    with pytest.raises(GridError, match=f"got {kind}, expected real numbers"):
        read_step(X[:, 0], torch.ones(2, dtype=kind))


def test_an_array_is_not_printed():
    with pytest.raises(GridError, match="got a ndarray, expected a float or a tensor"):
        read_steps(X, np.ones((50, 2)), None)


def test_a_gradient_reaches_a_tensor_of_one_ratio():
    tau = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    read_steps(X, tau, None).weights(X).sum().backward()
    read_step(X[:, 0], tau).sum().backward()
    assert tau.grad is not None
    assert float(tau.grad) == 7.0
    with torch.no_grad():
        assert read_steps(X, tau, None).ratio == 2.0


@pytest.mark.parametrize("shape", [(3,), (2, 1), (1, 3), (2, 3, 1), (3, 2)])
def test_a_tensor_that_does_not_fit(shape):
    with pytest.raises(GridError, match=r"tau does not fit the input.*\(2,\) or \(2, 3\)"):
        read_steps(X, torch.ones(shape), None)


def test_the_first_wrong_ratio_is_named():
    ratios = torch.ones(2, 3)
    ratios[1, 2] = 0.0
    with pytest.raises(GridError, match=r"0\.0 at sequence 1, sample 2.*\n.*equal timestamps"):
        read_steps(X, ratios, None)


def test_one_step_takes_a_float_or_one_ratio_a_sequence():
    assert read_step(X[:, 0], 0.5).shape == ()
    assert read_step(X[:, 0], torch.tensor([1.0, 2.0])).tolist() == [[1.0], [2.0]]
    with pytest.raises(GridError, match="tau does not fit one step"):
        read_step(X[:, 0], torch.ones(2, 3))
    with pytest.raises(GridError, match="at sequence 1"):
        read_step(X[:, 0], torch.tensor([1.0, float("nan")]))


def test_masks():
    assert valid_mask(torch.tensor([0, 2]), 2, 3, X.device).tolist() == [
        [False, False, False],
        [True, True, False],
    ]


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        (torch.tensor([4, 1]), "points outside the input, got 1..4, expected 0..3"),
        (torch.tensor([-1, 1]), "points outside the input"),
        (torch.tensor([1]), r"does not fit the batch, got \(1,\)"),
        (torch.tensor([1.0, 2.0]), r"counts samples, got torch.float32.*\nTry .*long\(\)"),
        ([1, 2], r"counts samples, got list.*\nTry lengths=torch.as_tensor"),
        (np.array([1, 2]), r"counts samples, got ndarray.*\nTry lengths=torch.as_tensor"),
        ("12", "counts samples, got str, expected an integer tensor.$"),
        (torch.tensor([True, False]), r"got torch.bool.*\nTry lengths=mask.sum"),
    ],
)
def test_lengths_that_do_not_fit(lengths, message):
    with pytest.raises(LayoutError, match=message):
        read_steps(X, 1.0, lengths)


@pytest.mark.parametrize("name", ["s4d", "s5", "transformer"])
def test_torch_maps_over_ratios_and_lengths(name):
    net = build_model(name, d_input=2, d_output=2, d_model=4, n_layers=1, seed=0, head="last")
    net, x = net.double(), torch.randn(3, 5, 2, dtype=torch.float64)
    tau, lengths = torch.tensor([0.5, 1.0, 2.0]), torch.tensor([5, 3, 1])

    def one(x, tau, length):
        return net(x[None], tau, lengths=length[None])[0]

    each = torch.func.vmap(one)
    torch.testing.assert_close(each(x, tau, lengths), net(x, tau, lengths=lengths))
    with pytest.raises(GridError, match=r"in a call under torch\.func\.vmap"):
        each(x, -tau, lengths)
    with pytest.raises(LayoutError, match=r"got 1\.\.6"):
        each(x, tau, torch.tensor([5, 6, 1]))


def test_torch_maps_single_steps_over_ratios():
    layer = build_layer("s6", d_model=2, seed=0).double()
    x, tau = torch.randn(3, 2, dtype=torch.float64), torch.tensor([0.5, 1.0, 2.0])
    mapped = torch.func.vmap(lambda x, tau: layer.step(x[None], tau=tau)[0][0])(x, tau)
    torch.testing.assert_close(mapped, layer.step(x, tau=tau)[0])


def test_a_learned_ratio_that_became_negative_is_refused_without_a_warning(recwarn):
    with pytest.raises(GridError, match=r"got -1\.0 at sequence 0"):
        read_steps(X, torch.tensor(-1.0, requires_grad=True), None)
    assert not recwarn.list
