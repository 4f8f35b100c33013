import numpy as np
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
    out = PLAN.collate(given, stage=0, generator=generator(), per_step=False)
    assert torch.equal(out["labels"], given["labels"])
    out = PLAN.collate(given, stage=0, generator=generator(), per_step=True)
    assert out["labels"].shape == out["x"].shape[:2]


@pytest.mark.parametrize("name", ["y", "labels", "label"])
@pytest.mark.parametrize("last", [(), (3,)])
def test_a_target_whose_shape_leaves_open_what_it_is_of_is_asked_about(name, last):
    given = {"x": torch.randn(3, 5, 1), name: torch.zeros(3, 5, *last)}
    with pytest.raises(ConfigError, match=f"{name!r} has an axis of time[\\s\\S]*per_step=True"):
        PLAN.collate(given, stage=0)
    one_each = given | {name: torch.zeros(3, 4, *last)}
    assert PLAN.collate(one_each, stage=0)[name] is one_each[name]


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


MEAN = SubsamplingPlan((Stage(stride=4, share=1, decimator="mean"),))
X = torch.arange(20.0).view(2, 10, 1)


def test_a_mean_is_measured_where_all_of_its_window_is():
    measured = torch.tensor([[1, 0, 1, 1, 1, 1, 1, 1, 1, 1], [1] * 8 + [0, 1]])
    out = MEAN.collate({"x": X, "mask": measured}, stage=0, offset=0)
    assert out["mask"].tolist() == [[0, 1, 1], [1, 1, 0]]
    assert out["mask"].dtype == measured.dtype
    batch = Batch(x=X, y=torch.zeros(2), mask=measured.bool())
    assert torch.equal(MEAN.collate(batch, stage=0, offset=0).mask, out["mask"].bool())
    # samples that are dropped, and not averaged, keep their own
    out = PLAN.collate({"x": X, "mask": measured}, stage=0, offset=1)
    assert out["mask"].tolist() == [[0, 1, 1], [1, 1, 1]]


def test_counted_times_have_means_too():
    times = torch.arange(10).expand(2, 10)
    out = MEAN.collate({"x": X, "times": times}, stage=0, offset=0)
    assert out["times"].tolist() == [[1.5, 5.5, 8.5]] * 2
    assert PLAN.collate({"x": X, "times": times}, stage=0, offset=0)["times"].dtype == torch.int64


def test_a_batchs_own_tau_is_multiplied():
    assert PLAN.collate({"x": X, "tau": 0.5}, stage=0)["tau"] == 2.0
    own = torch.tensor([0.5, 2.0])
    assert PLAN.collate({"x": X, "tau": own}, stage=0)["tau"].tolist() == [2.0, 8.0]
    assert PLAN.collate({"x": X, "tau": np.float32(0.5)}, stage=2)["tau"] == 0.5
    with pytest.raises(ConfigError, match="tau is a number"):
        PLAN.collate({"x": X, "tau": "2"}, stage=0)
    for wrong in (0, -1.0, float("nan"), float("inf"), torch.tensor([1.0, 0.0]), True):
        with pytest.raises(ConfigError, match="a step ratio above 0"):
            PLAN.collate({"x": X, "tau": wrong}, stage=0)
    for shape in ((3,), (2, 10)):
        with pytest.raises(ConfigError, match="one for each sequence"):
            PLAN.collate({"x": X, "tau": torch.ones(shape)}, stage=0)


def test_arrays_and_lists_are_read_as_tensors_are():
    given = {"x": X.numpy(), "lengths": [10, 6], "attention_mask": np.tri(10)[[9, 5]], "y": None}
    given |= {"gaps": np.arange(20).reshape(2, 10), "times": None, "mask": None}
    out = PLAN.collate(given, stage=0, offset=1, along="gaps")
    assert out["x"].flatten().tolist() == [1.0, 5.0, 9.0, 11.0, 15.0, 19.0]
    assert out["lengths"].tolist() == [3, 2]
    assert out["attention_mask"].tolist() == [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0]]
    assert out["gaps"].tolist() == [[1, 5, 9], [11, 15, 19]]
    assert out["y"] is out["times"] is out["mask"] is None
    given = {"input_ids": X[..., 0].long(), "position_ids": torch.arange(10)[None]}
    out = PLAN.collate(given, stage=0, offset=1)
    assert out["position_ids"].tolist() == [[1, 5, 9]] * 2


ONES = torch.ones(2, 10)


@pytest.mark.parametrize(
    ("more", "options", "text"),
    [
        ({"gaps": np.zeros((2, 10))}, {}, r"along=\['gaps'\]"),
        ({}, {"along": "gaps"}, "along='gaps' is not in the batch"),
        ({"gaps": ONES}, {"along": ["gaps", "nope"]}, "along='nope' is not in the batch"),
        ({"gaps": ONES[:, :5]}, {"along": ["gaps"]}, r"'gaps' does not stand along the time"),
        ({"labels": torch.zeros(3)}, {}, r"no target for each sequence, got shape \(3,\)"),
        ({"times": ONES[:, :9]}, {}, r"'times' does not stand along the time"),
        ({"times": ONES[0]}, {}, r"shape \(10,\) beside \(2, 10, 1\)"),
        ({"mask": ONES[:, :9]}, {}, r"'mask' does not stand along the time"),
        ({"lengths": [10, 11]}, {}, r"got 11, expected 1\.\.10"),
        ({"lengths": [10, 0]}, {}, r"got 0, expected 1\.\.10"),
        ({"lengths": [10]}, {}, r"int64 of shape \(1,\), expected integers of shape \(2,\)"),
        ({"lengths": [10.0, 6.0]}, {}, "float64 of shape"),
        ({"lengths": [10, 3], "attention_mask": ONES}, {}, "got 3 and 10 samples in row 1"),
        ({"attention_mask": ONES[:, None, None]}, {}, r"shape \(2, 1, 1, 10\) beside an input"),
        ({"attention_mask": 0 * ONES}, {}, "row 0 of zeros alone"),
        ({"attention_mask": -1e9 * ONES}, {}, "yes or no of each sample, got -1e"),
        ({"attention_mask": 0.5 * ONES}, {}, r"got 0\.5, expected 1 where it exists"),
        ({"tau": ONES}, {}, r"got shape \(2, 10\)[\s\S]*times\.diff\(dim=1\)"),
        ({"labels": torch.zeros(2)}, {"per_step": True}, "per_step=False for one target a seq"),
        ({"labels": None}, {"per_step": True}, "'labels' is no array of numbers, got None"),
        ({}, {"stage": -1}, r"stage is a whole number, got -1, expected 0\.\.2"),
        ({}, {"stage": 3}, r"got 3, expected 0\.\.2"),
        ({}, {"stage": [0]}, r"got \[0\]"),
        ({}, {"offset": 1.0}, r"offset=1\.0, expected 0\.\.3"),
        ({}, {"offset": 4}, r"offset=4, expected 0\.\.3"),
        ({"x": torch.zeros(10)}, {}, r"no samples, got shape \(10,\)"),
        ({"x": torch.zeros(2, 0, 1)}, {}, r"no samples, got shape \(2, 0, 1\)"),
        ({"x": "abc"}, {}, "no array of numbers, got 'abc'"),
    ],
)
def test_what_does_not_fit_together_is_an_error(more, options, text):
    with pytest.raises((ConfigError, LayoutError), match=text):
        PLAN.collate({"x": X} | more, **({"stage": 0} | options))


def test_numbers_of_numpy_are_numbers():
    out = PLAN.collate((X,), stage=np.int64(0), offset=np.int32(1))
    assert out["x"].flatten().tolist() == [1.0, 5.0, 9.0, 11.0, 15.0, 19.0]


def test_features_with_the_time_last_are_refused():
    whisper = {"input_features": torch.zeros(2, 80, 300)}
    with pytest.raises(LayoutError, match="looks like frequency bands"):
        PLAN.collate(whisper, stage=0)
    with pytest.raises(LayoutError, match=r"\(2, 300\) beside an input of \(2, 80, 300\)"):
        PLAN.collate(whisper | {"attention_mask": torch.ones(2, 300)}, stage=0)
    assert PLAN.collate(whisper, stage=2)["input_features"].shape == (2, 80, 300)
    # short speech in features of (batch, time, feature) is told by its mask
    speech = {"input_features": torch.zeros(2, 40, 80), "attention_mask": torch.ones(2, 40)}
    assert PLAN.collate(speech, stage=0, offset=0)["input_features"].shape == (2, 10, 80)


@pytest.mark.parametrize("shape", [(2, 2000), (2, 2000, 3, 4)])
def test_the_filter_wants_channels(shape):
    plan = SubsamplingPlan((Stage(stride=4, share=1, decimator="fir"),))
    with pytest.raises(LayoutError, match=r"\(batch, time, channel\)"):
        plan.collate({"x": torch.zeros(shape)}, stage=0)


@pytest.mark.parametrize(
    "examples",
    [[{"x": X[0], "y": 0}], [(X[0], 0), (X[1], 1)], [{"x": X[0]}] * 5, [X[0]] * 4],
)
def test_examples_that_nobody_has_stacked_are_refused_with_the_way(examples):
    with pytest.raises(LayoutError, match=r"StepBatches\(data, plan, collate=\.\.\.\)"):
        PLAN.collate(examples, stage=0)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"lengths": torch.tensor([11, 2])}, r"got 11, expected 1\.\.10"),
        ({"lengths": torch.tensor([4])}, r"of shape \(1,\)"),
        ({"per_step": True}, r"'y' does not stand along the time"),
        ({"y": torch.zeros(3)}, "no target for each sequence"),
        ({"times": ONES[:, :9]}, r"'times' does not stand along the time"),
        ({"mask": ONES[:, :9].bool()}, r"'mask' does not stand along the time"),
        ({"x": torch.zeros(2)}, r"no samples, got shape \(2,\)"),
    ],
)
def test_the_parts_of_a_batch_have_to_fit_as_well(parts, text):
    with pytest.raises(LayoutError, match=text):
        PLAN.collate(Batch(**({"x": X, "y": torch.zeros(2)} | parts)), stage=0)
