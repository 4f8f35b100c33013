import math

import pytest
import torch

from timegrain.models.layers.positions import rotated, rotations, sinusoids


@pytest.mark.parametrize("width", [1, 5, 6])
def test_sinusoids_are_those_of_the_paper(width):
    positions = torch.tensor([[0.0, 1.0, 7.5]], dtype=torch.float64)
    table = sinusoids(positions, width)
    assert table.shape == (1, 3, width)
    for k, p in enumerate(positions[0].tolist()):
        for channel in range(width):
            angle = p / 10_000 ** (2 * (channel // 2) / width)
            wanted = math.cos(angle) if channel % 2 else math.sin(angle)
            assert table[0, k, channel].item() == pytest.approx(wanted, abs=1e-14)


def test_pairs_of_channels_are_turned_by_their_position():
    x = torch.randn(1, 2, 3, 6, dtype=torch.float64)
    positions = torch.tensor([[0.0, 1.0, 7.5]], dtype=torch.float64)
    y = rotated(x, *rotations(positions, 6))
    for pair in range(3):
        angle = positions[0] / 10_000 ** (2 * pair / 6)
        turned = torch.view_as_complex(x.unflatten(-1, (3, 2))[..., pair, :].contiguous())
        turned = turned * torch.polar(torch.ones_like(angle), angle)
        torch.testing.assert_close(
            y[..., 2 * pair : 2 * pair + 2], torch.view_as_real(turned), rtol=0, atol=1e-14
        )


def test_products_see_differences_of_positions_alone():
    q, k = torch.randn(2, 1, 1, 9, 6, dtype=torch.float64)
    positions = torch.rand(1, 9, dtype=torch.float64).cumsum(1)
    seen = []
    for shift in (0.0, 12.25, 1000.0):
        turn = rotations(positions + shift, 6)
        seen.append(rotated(q, *turn) @ rotated(k, *turn).transpose(2, 3))
    torch.testing.assert_close(seen[1], seen[0], rtol=0, atol=1e-12)
    torch.testing.assert_close(
        seen[2], seen[0], rtol=0, atol=1e-11
    )  # angles of 1000 round at 1e-13
    other = rotated(q, *rotations(1.1 * positions, 6)) @ rotated(k, *turn).transpose(2, 3)
    assert not torch.allclose(other, seen[0])
