import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from timegrain.core.errors import GridError, ModelError, ResultError
from timegrain.models.build import build_model
from timegrain.training.checkpoint_files import load_checkpoint, save_checkpoint
from timegrain.training.scaling import Scaling, input_scaling, target_scaling
from timegrain.training.seal import sealed
from timegrain.training.step_ratio import tau_at


def network(name="s4d", **options):
    return build_model(name, d_input=2, d_output=3, d_model=4, n_layers=2, seed=0, **options)


@pytest.fixture
def stored(tmp_path):
    return save_checkpoint(tmp_path / "net", network(), dt_trained=0.01, unit="s")


def edit(directory, **changes):
    file = directory / "checkpoint.json"
    data = json.loads(file.read_text())
    del data["sha256"]
    file.write_text(json.dumps(sealed(data | changes)))


@pytest.mark.parametrize(
    "net",
    [
        network("s4d", n_pairs=3),
        network("s6", discretization="zoh"),
        network("gru", head="last", final_norm=True),
    ],
    ids=["s4d", "s6", "gru"],
)
def test_a_stored_network_gives_the_same_bits(net, tmp_path):
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    loaded = load_checkpoint(save_checkpoint(tmp_path, net, dt_trained=2.5, unit="ms"))
    x, lengths = torch.randn(3, 20, 2), torch.tensor([20, 11, 2])
    for tau in (1.0, 0.5):
        assert torch.equal(loaded.model(x, tau, lengths=lengths), net(x, tau, lengths=lengths))
    assert (loaded.dt_trained, loaded.unit) == (2.5, "ms")
    assert not loaded.model.training


def test_what_is_known_of_the_network_is_kept(tmp_path):
    inputs = Scaling(center=(0.5, 1.0), scale=(2.0, 3.0))
    save_checkpoint(
        tmp_path,
        network(),
        dt_trained=1.0,
        unit="s",
        task="leaves",
        class_names=("a", "b", "c"),
        channel_names=("x", "y"),
        inputs=inputs,
        metrics={"accuracy": 0.75},
        cases={"window": "2s", "hop": None, "ahead": None, "seed": 3},
    )
    record = load_checkpoint(tmp_path).record
    assert record.cases == {"window": "2s", "hop": None, "ahead": None, "seed": 3}
    with pytest.raises(ModelError, match=r"got \['width'\], expected window"):
        replace(record, cases={"width": "2s"})
    assert record.inputs == inputs
    assert record.targets is None
    assert (record.task, record.class_names) == ("leaves", ("a", "b", "c"))
    assert (record.channel_names, record.metrics) == (("x", "y"), {"accuracy": 0.75})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["checkpoint.json", "model.safetensors"]


def test_the_stored_scaling_is_the_one_of_the_task(values):
    scaling = input_scaling(values)
    raw = np.concatenate([values.dataset.sequences[i] for i in values.test.index])
    used = [x[:n] for x, n in zip(values.test.x, values.test.lengths, strict=True)]
    scaled = (raw - scaling.center) / scaling.scale
    assert np.array_equal(scaled.astype(np.float32), np.concatenate(used))
    y = (values.train.y - target_scaling(values).center[0]) / target_scaling(values).scale[0]
    assert abs(y.mean()) < 1e-5
    assert y.std() == pytest.approx(1, abs=1e-5)


def test_no_scaling_where_nothing_is_scaled(task):
    assert target_scaling(task) is None


def test_tau_follows_from_a_rate_or_a_step(stored):
    checkpoint = load_checkpoint(stored)
    assert checkpoint.tau_at(hz=50) == pytest.approx(2.0)
    assert checkpoint.tau_at(dt=0.005) == pytest.approx(0.5)
    assert tau_at(1.0, "h", hz=1 / 7200) == pytest.approx(2.0)


@pytest.mark.parametrize(
    "given", [{}, {"hz": 50, "dt": 1.0}, {"hz": 0}, {"dt": float("inf")}, {"hz": "a"}, {"dt": True}]
)
def test_tau_needs_exactly_one_positive_rate(stored, given):
    with pytest.raises(GridError, match="one rate or step"):
        load_checkpoint(stored).tau_at(**given)


def test_a_step_of_unknown_length_cannot_be_had_in_hertz():
    with pytest.raises(GridError, match=r"in seconds[\s\S]*dt= in sample"):
        tau_at(1.0, "sample", hz=50)


def test_a_missing_checkpoint_is_named(tmp_path):
    with pytest.raises(ResultError, match="nowhere, which does not exist"):
        load_checkpoint(tmp_path / "nowhere")
    with pytest.raises(ResultError, match="no checkpoint here"):
        load_checkpoint(tmp_path)
    with pytest.raises(ResultError, match="got NoneType, expected its path"):
        load_checkpoint(None)
    with pytest.raises(ResultError, match="no directory can have this name"):
        load_checkpoint("a" * 5000)


@pytest.mark.parametrize("below", ["", "checkpoints"])
def test_the_checkpoints_below_a_directory_are_named(below, tmp_path):
    for i in range(7):
        net = network("gru")
        save_checkpoint(tmp_path / "gp" / below / f"gru-{i}", net, dt_trained=1.0, unit="s")
    with pytest.raises(ResultError, match=r"gru-0'.*gru-4' and 2 more") as caught:
        load_checkpoint(tmp_path / "gp")
    assert caught.value.hint == str(tmp_path / "gp" / below / "gru-0")
    assert "gru-5" not in str(caught.value)


def test_the_directory_of_a_file_is_named(stored):
    with pytest.raises(ResultError, match=rf"is a directory[\s\S]*Try {stored}\.$"):
        load_checkpoint(stored / "model.safetensors")
    (stored / "checkpoint.json").unlink()
    with pytest.raises(ResultError, match=r"a directory with model\.safetensors") as caught:
        load_checkpoint(stored / "model.safetensors")
    assert caught.value.hint is None


def test_a_record_of_the_first_version_still_loads(stored):
    file = stored / "checkpoint.json"
    data = json.loads(file.read_text())
    assert data.pop("kind") == "real"
    del data["sha256"]
    file.write_text(json.dumps(data | {"schema_version": 1}))
    assert load_checkpoint(stored).record.kind == "real"


def test_a_missing_weights_file_is_named(stored):
    (stored / "model.safetensors").unlink()
    with pytest.raises(ResultError, match=r"model\.safetensors"):
        load_checkpoint(stored)


def test_damaged_weights_are_noticed(stored):
    file = stored / "model.safetensors"
    content = bytearray(file.read_bytes())
    content[-3] ^= 1
    file.write_bytes(content)
    with pytest.raises(ResultError, match="is not the file"):
        load_checkpoint(stored)


@pytest.mark.parametrize("name", ["checkpoint.json", "model.safetensors"])
def test_a_flipped_bit_anywhere_is_noticed_or_says_the_same(stored, name):
    file = stored / name
    content, record = file.read_bytes(), load_checkpoint(stored).record
    # bits spread over the file, and all of a few bytes
    bits = {
        *range(0, 8 * len(content), 97),
        *range(0, 400, 3),
        *range(8 * len(content) - 64, 8 * len(content)),
    }
    for bit in sorted(bits):
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        file.write_bytes(damaged)
        if name == "checkpoint.json" and says_the_same(damaged, content):
            assert load_checkpoint(stored).record == record  # as 1E-05 does for 1e-05
            continue
        with pytest.raises(ResultError):
            load_checkpoint(stored)


def says_the_same(one, other):
    try:
        return json.loads(one) == json.loads(other)
    except ValueError:
        return False


def test_a_changed_record_is_named(stored):
    file = stored / "checkpoint.json"
    file.write_text(file.read_text().replace("0.01", "0.03"))
    with pytest.raises(ResultError, match=r"checkpoint\.json is damaged, or was changed"):
        load_checkpoint(stored)


def test_weights_of_another_checkpoint_are_noticed(stored, tmp_path):
    other = save_checkpoint(tmp_path / "other", network("gru"), dt_trained=1.0, unit="s")
    (stored / "model.safetensors").write_bytes((other / "model.safetensors").read_bytes())
    with pytest.raises(ResultError, match="is not the file"):
        load_checkpoint(stored)


def test_a_truncated_or_bottomless_record_is_noticed(stored):
    file = stored / "checkpoint.json"
    for text in (file.read_text()[:40], "[" * 100_000, "1" + 5000 * "0"):
        file.write_text(text)
        with pytest.raises(ResultError, match="not JSON"):
            load_checkpoint(stored)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema_version": 99}, "newer timegrain"),
        ({"schema_version": "1"}, "no version"),
        ({"schema": "training-run"}, "no checkpoint"),
        ({"dt_trained": 0.0}, "no step"),
        ({"dt_trained": "fast"}, "dt_trained"),
        ({"surprise": 1}, "surprise"),
        ({"kind": "letters"}, "contradicts itself"),
        ({"class_names": ["a"]}, "contradicts itself"),
        ({"model": {"name": "s4e"}}, "cannot be built"),
        ({"model": {"name": "s4d", "d_input": 2, "d_output": 3, "d_model": 4}}, "cannot be built"),
    ],
)
def test_records_that_do_not_fit_are_refused(stored, changes, message):
    edit(stored, **changes)
    with pytest.raises(ResultError, match=message):
        load_checkpoint(stored)


def test_weights_that_do_not_fit_the_record_are_refused(stored):
    model = json.loads((stored / "checkpoint.json").read_text())["model"]
    edit(stored, model=model | {"d_model": 5})
    with pytest.raises(ResultError, match="cannot be built"):
        load_checkpoint(stored)


def test_what_cannot_be_stored_is_refused(tmp_path):
    with pytest.raises(ModelError, match="how to build them again"):
        save_checkpoint(tmp_path, nn.Linear(1, 1), dt_trained=1.0, unit="s")
    with pytest.raises(GridError):
        save_checkpoint(tmp_path, network(), dt_trained=0.0, unit="s")
    with pytest.raises(ModelError, match="names of classes do not fit"):
        save_checkpoint(tmp_path, network(), dt_trained=1.0, unit="s", class_names=("a", "b"))
    with pytest.raises(ModelError, match="inputs do not fit"):
        one = Scaling(center=(0.0,), scale=(1.0,))
        save_checkpoint(tmp_path, network(), dt_trained=1.0, unit="s", inputs=one)
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultError, match="cannot write"):
        save_checkpoint(tmp_path / "file", network(), dt_trained=1.0, unit="s")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_neither_stored_nor_loaded(stored, value, tmp_path):
    import hashlib

    from safetensors.torch import load, save

    net = network()
    with torch.no_grad():
        net.head.bias[1] = value
    with pytest.raises(ModelError, match=r"not stored, got NaN or infinity in head\.bias"):
        save_checkpoint(tmp_path / "other", net, dt_trained=0.01, unit="s")
    file = stored / "model.safetensors"
    weights = load(file.read_bytes())
    weights["head.bias"][1] = value
    file.write_bytes(save(weights))
    edit(stored, weights_sha256=hashlib.sha256(file.read_bytes()).hexdigest())
    with pytest.raises(ResultError, match=r"cannot answer, got NaN or infinity in head\.bias"):
        load_checkpoint(stored)


def test_weights_that_are_shared_are_not_stored(tmp_path):
    net = network()
    net.blocks[1].mixer.log_dt = net.blocks[0].mixer.log_dt
    said = r"come back apart, got blocks\.0\.mixer\.log_dt and blocks\.1\.mixer\.log_dt"
    with pytest.raises(ModelError, match=said):
        save_checkpoint(tmp_path / "net", net, dt_trained=0.01, unit="s")
    assert not (tmp_path / "net").exists()


def test_units_of_time_are_written_down_once():
    from timegrain.data import units
    from timegrain.training import step_ratio

    assert step_ratio.SECONDS is units.SECONDS


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"unit": None}, GridError, r'the unit of its step, got None.*Try dt_trained=1, unit="sam'),
        ({"dt_trained": "0.01"}, GridError, r"its step, got '0.01'"),
        ({"model": nn.Linear(2, 2)}, ModelError, r"got Linear\.\nTry safetensors.torch.save_model"),
    ],
)
def test_what_cannot_be_stored_is_said_before_anything_is_written(
    changes, error, message, tmp_path
):
    given = {"model": network(), "dt_trained": np.float32(0.5), "unit": "s"}
    with pytest.raises(error, match=f"(?s){message}"):
        save_checkpoint(tmp_path / "net", **{**given, **changes})
    assert not (tmp_path / "net").exists()
    save_checkpoint(tmp_path / "net", **given)
    with pytest.raises(ResultError, match="whose path comes first, got Backbone"):
        save_checkpoint(given["model"], tmp_path / "net", dt_trained=1.0, unit="s")
