"""What must hold exactly, and what the door accepts and refuses."""

import threading

import pytest
import torch

from timegrain.core.errors import ConfigError, LayoutError, UnknownNameError
from timegrain.kernels import explain, selective_scan

BACKENDS = ("numba", "torch", "reference")
BOTH = ("euler_b", "zoh")
EPS = torch.finfo(torch.float64).eps


def scan(tensors, **options):
    *inputs, D, state = tensors
    return selective_scan(*inputs, D, initial_state=state, return_state=True, **options)


@pytest.mark.parametrize("discretization", BOTH)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_carried_state_continues_the_scan(scan_inputs, backend, discretization):
    tensors = scan_inputs((2, 100, 19, 5))
    options = {"backend": backend, "discretization": discretization}
    whole, last = scan(tensors, **options)
    *inputs, D, state = tensors
    pieces = []
    for part in (slice(0, 1), slice(1, 42), slice(42, 100)):
        cut = [t if t.ndim == 2 else t[:, part] for t in inputs]
        y, state = scan([*cut, D, state], **options)
        pieces.append(y)
    joined = torch.cat(pieces, 1)
    if backend == "torch":  # blocks lie elsewhere: 100 steps of a few roundings each
        assert torch.allclose(joined, whole, rtol=0, atol=600 * EPS * float(whole.abs().max()))
    else:
        assert torch.equal(joined, whole) and torch.equal(state, last)


@pytest.mark.parametrize("discretization", BOTH)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
def test_a_step_of_zero_freezes_the_state(scan_inputs, backend, discretization, dtype):
    tensors = scan_inputs((2, 150, 7, 3), dtype)
    short = [t if t.ndim == 2 or i > 4 else t[:, :90] for i, t in enumerate(tensors)]
    tensors[1][:, 90:] = 0
    options = {"backend": backend, "discretization": discretization}
    y, state = scan(tensors, **options)
    y_short, state_short = scan(short, **options)
    assert torch.equal(state, state_short)
    assert torch.equal(y[:, :90], y_short)


@pytest.mark.parametrize("backend", BACKENDS)
def test_zoh_and_euler_become_running_sums_for_a_zero(backend):
    u = torch.arange(1.0, 101, dtype=torch.float64).reshape(1, -1, 1)
    one = torch.ones_like(u)
    for discretization in BOTH:
        a = torch.zeros(1, 1, dtype=torch.float64, requires_grad=True)
        y = selective_scan(u, one, a, one, one, backend=backend, discretization=discretization)
        assert torch.equal(y.detach(), u.cumsum(1))
        y[0, 1].sum().backward()
        # y_1 = e^a w(a) u_0 + w(a) u_1 with w = 1 or expm1(a)/a, at a = 0
        assert a.grad.item() == pytest.approx(
            1.0 if discretization == "euler_b" else 2.5, rel=1e-14
        )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
def test_zoh_weight_is_exact_for_tiny_and_huge_steps(backend, dtype):
    """One step from zero gives expm1(delta a)/a itself."""
    delta = torch.logspace(-30, 4, 69, dtype=torch.float64).to(dtype).reshape(-1, 1, 1)
    one = torch.ones_like(delta)
    a = torch.tensor([[-0.7]], dtype=dtype)
    y = selective_scan(one, delta, a, one, one, discretization="zoh", backend=backend)
    want = torch.expm1(delta.double() * a.double()) / a.double()
    # rounding of delta a, 2 ulp for the exponential, up to 2.5 times that from exp(z) - 1, division
    assert ((y - want).abs() / want).max() < 8 * torch.finfo(dtype).eps


@pytest.mark.parametrize("discretization", BOTH)
@pytest.mark.parametrize("backend", BACKENDS)
def test_huge_steps_forget_and_stay_finite(scan_inputs, backend, discretization):
    tensors = scan_inputs((1, 20, 3, 2), torch.float32)
    tensors[1] = torch.full_like(tensors[1], 1e6)
    tensors[2] = tensors[2] - 1
    tensors = [t.requires_grad_() for t in tensors]
    y, state = scan(tensors, backend=backend, discretization=discretization)
    (y.sum() + state.sum()).backward()
    assert torch.isfinite(y).all() and all(torch.isfinite(t.grad).all() for t in tensors)
    assert not tensors[6].grad.any()


@pytest.mark.parametrize("backend", BACKENDS)
def test_nan_stays_in_its_sequence_and_channel_and_spoils_all_later_samples(scan_inputs, backend):
    tensors = scan_inputs((2, 20, 19, 3))
    clean, _ = scan(tensors, backend=backend)
    tensors[0][1, 7, 17] = float("nan")
    y, state = scan(tensors, backend=backend)
    spoiled = torch.zeros_like(y, dtype=torch.bool)
    spoiled[1, 7:, 17] = True
    assert torch.equal(y.isnan(), spoiled)
    assert torch.equal(y[~spoiled], clean[~spoiled])
    assert state[1, 17].isnan().all() and state.isnan().sum() == 3


@pytest.mark.parametrize("discretization", BOTH)
def test_any_strides_give_the_same_numbers(scan_inputs, discretization):
    tensors = [t.requires_grad_() for t in scan_inputs((2, 40, 19, 5), torch.float32)]
    strange = [t.detach().transpose(0, -1).contiguous().transpose(0, -1) for t in tensors]
    strange[0] = torch.stack([tensors[0].detach(), tensors[0].detach()], -1)[..., 1]
    strange = [t.requires_grad_() for t in strange]
    assert not any(t.is_contiguous() for t in strange if t.ndim > 1)
    y, state = scan(tensors, discretization=discretization)
    y2, state2 = scan(strange, discretization=discretization)
    assert torch.equal(y, y2) and torch.equal(state, state2)
    (y.sum() + state.sum()).backward()  # the gradient of a sum has strides of zero
    (y2.sum() + state2.sum()).backward()
    assert all(torch.equal(a.grad, b.grad) for a, b in zip(tensors, strange, strict=True))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
def test_half_precision_is_computed_in_float32(scan_inputs, dtype):
    half = [t.to(dtype).requires_grad_() for t in scan_inputs((1, 30, 4, 3))]
    wide = [t.detach().float().requires_grad_() for t in half]
    y, state = scan(half)
    y32, state32 = scan(wide)
    assert y.dtype == dtype and torch.equal(y, y32.to(dtype))
    assert state.dtype == torch.float32 and torch.equal(state, state32)
    state.sum().backward()
    state32.sum().backward()
    assert all(
        a.grad.dtype == dtype and torch.equal(a.grad, b.grad.to(dtype))
        for a, b in zip(half, wide, strict=True)
        if b.grad is not None
    )


def test_optional_arguments_are_zero_when_absent(scan_inputs):
    *inputs, D, state = scan_inputs((2, 40, 19, 5))
    for backend in BACKENDS:
        bare = selective_scan(*inputs, backend=backend)
        full = selective_scan(
            *inputs, torch.zeros_like(D), initial_state=torch.zeros_like(state), backend=backend
        )
        assert torch.equal(bare, full)


def test_gradients_only_where_asked(scan_inputs):
    *inputs, D, _ = scan_inputs((2, 40, 19, 5))
    inputs[3].requires_grad_()
    selective_scan(*inputs, D).sum().backward()
    assert inputs[3].grad is not None and inputs[0].grad is None
    with torch.no_grad():
        assert not selective_scan(*inputs, D).requires_grad


def test_threads_change_nothing_and_may_call_at_once(scan_inputs):
    tensors = [t.requires_grad_() for t in scan_inputs((4, 256, 64, 8), torch.float32)]
    before = torch.get_num_threads()
    found = []

    def work():
        copies = [t.detach().clone().requires_grad_() for t in tensors]
        y, state = scan(copies)
        (y.sum() + state.sum()).backward()
        found.append([y.detach(), *(t.grad for t in copies)])

    try:
        for count in (1, 2):
            torch.set_num_threads(count)
            work()
        both = [threading.Thread(target=work) for _ in range(2)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
    finally:
        torch.set_num_threads(before)
    assert len(found) == 4
    for other in found[1:]:
        assert all(torch.equal(a, b) for a, b in zip(found[0], other, strict=True))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({0: (0, 9, 3)}, r"at least one element along every axis of u"),
        ({1: (2, 9, 4)}, r"cannot fit delta .* got delta of shape \(2, 9, 4\), expected"),
        ({1: (2, 3, 9)}, r"Try delta\.transpose\(-1, -2\).*Mamba's own is \(b, d, l\)"),
        ({0: (2, 3, 9), 1: (2, 3, 9)}, r"fit A .*\n.*u\.transpose.*Mamba's own is \(b, d, l\)"),
        ({2: (3,)}, r"2 axes for A, got A of shape \(3,\), expected \(d=3 of u, n\)"),
        ({3: (2, 5, 9)}, r"Try B\.transpose\(-1, -2\)"),
        ({4: (2, 9, 6)}, r"cannot fit C"),
        ({5: (4,)}, r"cannot fit D .*expected \(d=3 of u\)"),
        ({6: (2, 3, 4)}, r"cannot fit initial_state"),
    ],
)
def test_wrong_shapes_name_the_argument(scan_inputs, change, message):
    tensors = scan_inputs((2, 9, 3, 5))
    for index, shape in change.items():
        tensors[index] = torch.zeros(shape)
    with pytest.raises(LayoutError, match=f"(?s)selective_scan.*{message}"):
        scan(tensors)


def test_wrong_options_are_errors(scan_inputs):
    tensors = scan_inputs((2, 9, 3, 5))
    with pytest.raises(ConfigError, match="'bilinear', expected 'euler_b' or 'zoh'"):
        scan(tensors, discretization="bilinear")
    with pytest.raises(UnknownNameError, match=r"no backend called 'nunba'.*numba"):
        scan(tensors, backend="nunba")
    with pytest.raises(ConfigError, match="real floating-point numbers for A"):
        scan([*tensors[:2], tensors[2].to(torch.complex64), *tensors[3:]])
    with pytest.raises(ConfigError, match="torch tensor for u, got ndarray"):
        scan([tensors[0].numpy(), *tensors[1:]])


def test_a_backend_that_cannot_run_is_an_error_when_asked_and_passed_over_otherwise(scan_inputs):
    tensors = [t.to("meta") for t in scan_inputs((2, 9, 3, 5))]
    with pytest.raises(ConfigError, match=r"(?s)backend 'numba', got u is on meta.*backend='auto'"):
        scan(tensors, backend="numba")
    y, _ = scan(tensors)
    assert y.shape == (2, 9, 3)
    choice = explain()["selective_scan"]
    assert choice.backend == "torch" and "meta" in choice.rejected["numba"]
    with pytest.raises(ConfigError, match="one device, got delta on cpu"):
        scan([tensors[0], tensors[1].new_zeros(2, 9, 3, device="cpu"), *tensors[2:]])
