"""The mean over time is torch's own, and its gradient is not written out for each sample."""

import pytest
import torch

from timegrain.models.backbone.pooling import pool


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_mean_is_torchs_to_the_bit(dtype):
    h = torch.randn(3, 97, 5, generator=torch.Generator().manual_seed(0)).to(dtype)
    assert torch.equal(pool(h, "mean"), h.mean(1))


def test_its_gradient_is_one_for_all_samples():
    h, found = torch.randn(3, 97, 5, requires_grad=True), []
    h.register_hook(found.append)
    pool(h, "mean").sum().backward()
    assert found[0].shape == h.shape and found[0].stride(1) == 0


def test_a_mean_in_half_precision_does_not_overflow():
    assert pool(torch.full((1, 97, 1), 2000.0, dtype=torch.float16), "mean").item() == 2000.0
