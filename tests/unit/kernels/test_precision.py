"""Inside autocast a kernel computes what it computes outside, bit for bit."""

import pytest
import torch

from timegrain.kernels.diagonal.scan import diagonal_scan
from timegrain.kernels.lti.convolution import lti_conv
from timegrain.kernels.lti.kernel import s4d_kernel
from timegrain.kernels.matrix.scan import matrix_scan
from timegrain.kernels.matrix.step import matrix_step
from timegrain.kernels.selective.scan import selective_scan

B, L, D, N = 2, 150, 3, 4


def numbers(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


def modes():
    return torch.complex(-numbers(D, N).abs(), 3 * numbers(D, N).flip(0))


def scan(backend):
    u = numbers(B, L, D)
    weights = numbers(B, L, N)
    delta = numbers(B, L, D).abs() / 10
    return selective_scan(u, delta, -numbers(D, N).abs(), weights, weights.flip(1), backend=backend)


HEADS = [numbers(B, L, 1, width) for width in (N, N, D)]
CALLS = {
    "selective, torch": lambda: scan("torch"),
    "selective, numba": lambda: scan("numba"),
    "diagonal": lambda: diagonal_scan(
        numbers(B, L, D), numbers(D).abs() / 10, modes(), modes().conj(), steps=numbers(B, L).abs()
    ),
    "kernel": lambda: s4d_kernel(modes() / 10, modes().conj(), L),
    "matrix, torch": lambda: matrix_scan(*HEADS, beta=numbers(B, L, 1).sigmoid(), backend="torch"),
    "matrix, one step": lambda: matrix_step(*(t[:, 0] for t in HEADS), numbers(B, 1, N, D))[0],
    "convolution": lambda: lti_conv(numbers(B, L, D), numbers(D, L)),
}


@pytest.mark.parametrize("name", CALLS)
def test_autocast_does_not_reach_into_a_kernel(name):
    outside = CALLS[name]()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        # what autocast does to a product, so that the comparison can fail
        assert (numbers(2, 2) @ numbers(2, 2)).dtype == torch.bfloat16
        inside = CALLS[name]()
    assert inside.dtype == torch.float32
    assert torch.equal(inside, outside)
