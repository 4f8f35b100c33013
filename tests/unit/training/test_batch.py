import pytest
import torch

from timegrain.core.errors import GridError
from timegrain.models.build import build_model
from timegrain.training.batch import Batch, decimate


def make_batch(lengths, time=9, **changes):
    x = torch.arange(float(time)).repeat(len(lengths), 1)[..., None]
    fields = {"x": x, "y": torch.arange(len(lengths)), "lengths": torch.tensor(lengths)}
    return Batch(**(fields | changes))


def test_a_sequence_shorter_than_the_phase_keeps_its_last_sample():
    out = decimate(make_batch([9, 3, 1]), 4, offset=3)
    assert out.lengths.tolist() == [2, 1, 1]
    assert out.x[:, 0, 0].tolist() == [3.0, 2.0, 0.0]


def test_the_original_is_left_as_it_was():
    batch = make_batch([9, 1])
    before = batch.x.clone()
    decimate(batch, 4, offset=3)
    assert torch.equal(batch.x, before)


def test_targets_of_samples_go_with_their_samples():
    batch = make_batch([9, 2])
    batch = Batch(x=batch.x, y=batch.x[..., 0].long(), lengths=batch.lengths, per_step=True)
    out = decimate(batch, 4, offset=3)
    valid = out.valid
    assert torch.equal(out.x[valid][:, 0].long(), out.y[valid])


def test_full_sequences_stay_without_lengths():
    batch = Batch(x=torch.ones(2, 9, 1), y=torch.zeros(2))
    assert decimate(batch, 2).lengths is None
    assert decimate(batch, 1) is batch


def test_a_mean_over_the_remaining_samples_divides_by_their_number():
    # every stride keeps equal samples equal, so a mean pool has to give the same at each of them;
    # dividing by the old length, or a last incomplete window by the stride, would not
    net = build_model("gru", d_input=1, d_output=1, d_model=4, n_layers=1, seed=0)
    pooled = []
    net.features = lambda x, tau=1.0, *, lengths=None: x.repeat(1, 1, 4)
    for stride, offset in ((1, 0), (2, 1), (4, 3), (8, 5)):
        batch = decimate(make_batch([9, 6, 5], x=torch.ones(3, 9, 1)), stride, offset=offset)
        pooled.append(net(batch.x, float(stride), lengths=batch.lengths))
    for other in pooled[1:]:
        # four roundings of numbers near 1 in float32
        torch.testing.assert_close(other, pooled[0], rtol=0, atol=4 * 1.2e-7)


@pytest.mark.parametrize(("stride", "offset"), [(0, 0), (2, 2), (2, -1), (20, 12)])
def test_phases_outside_the_stride_or_the_batch_are_refused(stride, offset):
    with pytest.raises(GridError):
        decimate(make_batch([9]), stride, offset=offset)
