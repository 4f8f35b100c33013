import pytest
import torch

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.training import Batch, Stage, SubsamplingPlan, decimate

PLAN = SubsamplingPlan.of([(4, 1), (2, 1), (1, 1)])


def phase(stride, time, seed=0):
    """The phase that a generator of this seed draws first."""
    generator = torch.Generator().manual_seed(seed)
    return int(torch.randint(min(stride, time), (1,), generator=generator))


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_a_batch_stays_one():
    batch = Batch(x=torch.randn(2, 9, 1), y=torch.zeros(2), lengths=torch.tensor([9, 5]))
    out = PLAN.collate(batch, stage=0, generator=generator())
    want = decimate(batch, 4, offset=phase(4, 9))
    assert torch.equal(out.x, want.x)
    assert torch.equal(out.lengths, want.lengths)


def test_pairs_of_plain_torch_get_names_and_tau():
    x, y = torch.arange(18.0).view(2, 9, 1), torch.tensor([0, 1])
    out = PLAN.collate((x, y), stage=1, generator=generator(1))
    assert torch.equal(out["x"], x[:, phase(2, 9, 1) :: 2])
    assert torch.equal(out["y"], y)
    assert out["tau"] == 2.0
    assert "lengths" not in out
    out = PLAN.collate((x, y, torch.tensor([9, 3])), stage=1, generator=generator(1))
    offset = phase(2, 9, 1)
    assert out["lengths"].tolist() == [len(range(offset, 9, 2)), len(range(offset, 3, 2))]


@pytest.mark.parametrize("seed", range(4))
def test_a_tokenizers_batch_keeps_its_parts_together(seed):
    ids = torch.arange(20).view(2, 10)
    mask = torch.tensor([[1] * 10, [1] * 6 + [0] * 4])
    given = {
        "input_ids": ids,
        "attention_mask": mask,
        "position_ids": torch.arange(10).expand(2, 10),
        "labels": ids + 100,
    }
    out = PLAN.collate(given, stage=0, generator=generator(seed), per_step=True)
    offset = phase(4, 10, seed)
    for row, n in enumerate((10, 6)):
        kept = list(range(offset, n, 4))
        count = len(kept)
        assert out["input_ids"][row, :count].tolist() == ids[row, kept].tolist()
        assert out["labels"][row, :count].tolist() == (ids[row, kept] + 100).tolist()
        assert out["position_ids"][row, :count].tolist() == kept
        assert out["attention_mask"][row].tolist() == (
            [1] * count + [0] * (out["input_ids"].shape[1] - count)
        )
    assert out["attention_mask"].dtype == mask.dtype
    assert out["tau"] == 4.0


def test_one_label_a_sequence_stays_even_if_as_long_as_time():
    given = {"x": torch.randn(3, 5, 1), "labels": torch.arange(15).view(3, 5)}
    out = PLAN.collate(given, stage=0, generator=generator())
    assert torch.equal(out["labels"], given["labels"])
    out = PLAN.collate(given, stage=0, generator=generator(), per_step=True)
    assert out["labels"].shape == out["x"].shape[:2]


def test_means_move_times_and_centre_labels():
    plan = SubsamplingPlan((Stage(stride=4, share=1, decimator="mean"),))
    at = torch.arange(8.0).expand(1, 8)
    given = {"values": at[..., None], "times": 0.5 * at, "labels": at.long(), "extra": at}
    with pytest.raises(ConfigError, match=r"along=\['extra'\]"):
        plan.collate(given, stage=0, per_step=True)
    out = plan.collate(given, stage=0, generator=generator(), per_step=True, along=["extra"])
    offset = phase(4, 8)
    first = torch.arange(offset, 8, 4)
    whole = first[first + 4 <= 8]
    n = len(whole)
    assert torch.equal(out["values"][0, :n, 0], whole + 1.5)
    assert torch.equal(out["times"][0, :n], 0.5 * (whole + 1.5))
    assert out["labels"][0, :n].tolist() == (whole + 1).tolist()
    assert out["extra"][0, :n].tolist() == (whole + 1).tolist()


def test_stride_1_changes_nothing():
    ids = torch.arange(12).view(2, 6)
    mask = torch.tensor([[1] * 6, [1, 1, 0, 0, 0, 0]])
    given = {"input_ids": ids, "attention_mask": mask, "labels": torch.tensor([0, 1])}
    out = PLAN.collate(given, stage=2)
    assert set(out) == {*given, "tau"}
    for name, value in given.items():
        assert torch.equal(out[name], value)


def test_padding_on_the_left_and_unknown_batches_are_refused():
    given = {"input_ids": torch.zeros(1, 4).long(), "attention_mask": torch.tensor([[0, 1, 1, 1]])}
    with pytest.raises(LayoutError, match="padding_side='right'"):
        PLAN.collate(given, stage=0)
    with pytest.raises(LayoutError, match="input"):
        PLAN.collate({"pixels": torch.zeros(2, 3)}, stage=0)
    with pytest.raises(LayoutError, match="str"):
        PLAN.collate("x", stage=0)


def test_a_phase_comes_from_the_generator_alone():
    x = torch.arange(40.0).view(1, 40, 1)
    state = torch.random.get_rng_state()
    drawn = {
        float(PLAN.collate((x,), stage=0, generator=generator(s))["x"][0, 0]) for s in range(30)
    }
    assert drawn == {0.0, 1.0, 2.0, 3.0}
    assert torch.equal(state, torch.random.get_rng_state())


def test_a_phase_can_be_said_and_a_shorter_batch_starts_at_its_last_sample():
    x = torch.arange(9.0).view(1, 9, 1)
    out = PLAN.collate((x,), stage=0, offset=2)
    assert out["x"].flatten().tolist() == [2.0, 6.0]
    assert PLAN.collate((x[:, :2],), stage=0, offset=3)["x"].flatten().tolist() == [1.0]
    batch = Batch(x=x, y=torch.zeros(1))
    assert PLAN.collate(batch, stage=0, offset=2).x.flatten().tolist() == [2.0, 6.0]


def test_padded_labels_stay_padded_when_means_are_taken():
    plan = SubsamplingPlan((Stage(stride=4, share=1, decimator="mean"),))
    at = torch.arange(12.0).expand(2, 12)
    exists = torch.arange(12) < torch.tensor([12, 5])[:, None]
    given = {
        "input_values": at[..., None],
        "attention_mask": exists.long(),
        "labels": at.long().masked_fill(~exists, -100),
    }
    out = plan.collate(given, stage=0, offset=0, per_step=True)
    assert out["labels"].tolist() == [[1, 5, 9], [1, 4, -100]]
    assert out["attention_mask"].tolist() == [[1, 1, 1], [1, 1, 0]]
