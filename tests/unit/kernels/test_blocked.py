import pytest
import torch

from timegrain.kernels.blocked import BLOCK, block_count, blocked_scan, split


@pytest.mark.parametrize("length", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
def test_blocks_cover_the_length_and_padding_changes_nothing(length):
    generator = torch.Generator().manual_seed(length)
    decay = torch.rand(2, length, 3, 4, generator=generator, dtype=torch.float64)
    push = torch.randn(2, length, 3, 4, generator=generator, dtype=torch.float64)
    state = torch.randn(2, 3, 4, generator=generator, dtype=torch.float64)
    blocks, steps = block_count(length)
    assert (blocks - 1) * steps < length <= blocks * steps

    decays = split(decay - 1, 1) + 1  # filled up with ones
    y, last = blocked_scan(
        list(decays.unbind(2)),
        list(split(push, 1).unbind(2)),
        decays.prod(2),
        state,
        lambda _, h: h.sum(-1),
    )
    for k in range(length):
        state = decay[:, k] * state + push[:, k]
        # a few roundings a step; everything is at most length times the largest push
        assert torch.allclose(y[:, k], state.sum(-1), rtol=0, atol=1e-14 * length)
    assert torch.allclose(last, state, rtol=0, atol=1e-14 * length)
    assert y.shape[1] == blocks * steps
