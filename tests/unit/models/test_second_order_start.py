import torch

from timegrain.models.second_order_start import opened, samples_before

X = torch.tensor([[[1.0], [2.0], [3.0]], [[4.0], [5.0], [0.0]], [[0.0], [0.0], [0.0]]])
LENGTHS = torch.tensor([3, 2, 0])
SYSTEM = torch.zeros(3, 1)


def test_the_last_valid_sample_comes_before_the_next_part():
    state = opened(SYSTEM, X, LENGTHS, None)
    assert state.sample.flatten().tolist() == [3, 5, 0]
    assert state.begun.flatten().tolist() == [1, 1, 0]
    before, begun = samples_before(X, state)
    assert before[:, :, 0].tolist() == [[3, 1, 2], [5, 4, 5], [0, 0, 0]]
    assert torch.equal(begun, state.begun)


def test_a_sequence_without_samples_keeps_what_it_had():
    first = opened(SYSTEM, X, LENGTHS, None)
    second = opened(SYSTEM, X + 10, torch.tensor([0, 0, 1]), first)
    assert second.sample.flatten().tolist() == [3, 5, 10]
    assert second.begun.flatten().tolist() == [1, 1, 1]
