import pytest
import torch

from timegrain.core.errors import ConfigError
from timegrain.training.batch import Batch, decimate
from timegrain.training.stages import parse_stages, plan_name


def test_stages_are_read_in_order():
    stages = parse_stages("8:12,4:10,1:4")
    assert [(s.stride, s.epochs) for s in stages] == [(8, 12), (4, 10), (1, 4)]
    assert plan_name(parse_stages("1:15")) == "full"


@pytest.mark.parametrize("text", ["", "8", "8:x", "0:3", "2:0", "2:1,,1:1", "1_0:2"])
def test_stages_that_make_no_sense_are_refused(text):
    with pytest.raises(ConfigError):
        parse_stages(text)


@pytest.mark.parametrize("stride", [1, 2, 4, 7])
@pytest.mark.parametrize("offset", [0, 1, 3])
def test_lengths_follow_the_stride(stride, offset):
    if offset >= stride:
        return
    lengths = torch.tensor([20, 13, 9])
    x = torch.arange(20.0).repeat(3, 1)[..., None]
    out = decimate(Batch(x=x, y=torch.arange(3), lengths=lengths), stride, offset=offset)
    for row, length in enumerate(lengths.tolist()):
        kept = list(range(offset, length, stride))
        assert int(out.lengths[row]) == len(kept)
        assert out.x[row, : len(kept), 0].tolist() == kept
    assert out.y.tolist() == [0, 1, 2]
