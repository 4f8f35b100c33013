import pytest
import torch

from timegrain.models.layers.lti import final_state, free_response


@pytest.fixture
def system():
    generator = torch.Generator().manual_seed(0)

    def draw(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.complex128)

    exponent = torch.complex(-0.02 * draw(3, 4).abs(), draw(3, 4).real)
    return draw(2, 3, 4), exponent, draw(3, 4)


@pytest.mark.parametrize("length", [1, 2, 256, 257, 773])
def test_free_response_is_the_recurrence_without_input(system, length):
    state, exponent, C = system
    y = free_response(state, exponent, C, length)
    assert y.shape == (2, length, 3)
    for k in range(length):
        state = torch.exp(exponent) * state
        torch.testing.assert_close(y[:, k], 2 * (C * state).sum(-1).real, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("length", [1, 2, 256, 517])
def test_final_state_is_the_recurrence_at_its_end(system, length):
    start, exponent, weight = system
    u = torch.randn(2, length, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    lengths = torch.tensor([length, length // 3])
    u[1, length // 3 :] = 0
    rows = []
    for row in range(2):
        x = start[row]
        for k in range(int(lengths[row])):
            x = torch.exp(exponent) * x + weight * u[row, k][:, None]
        rows.append(x)
    after = final_state(u, start, exponent, weight, lengths)
    torch.testing.assert_close(after, torch.stack(rows), rtol=1e-10, atol=1e-12)
    whole = final_state(u[:1], None, exponent, weight, None)
    from_rest = rows[0] - torch.exp(exponent * length) * start[0]
    torch.testing.assert_close(whole[0], from_rest, rtol=1e-10, atol=1e-10)
