from dataclasses import replace

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, ResultError
from timegrain.data.tasks import load_task
from timegrain.study.job import TrainingJob
from timegrain.study.storage import check_free, store_checkpoints
from timegrain.study.trainings import run_trainings
from timegrain.study.unfinished import sole_output
from timegrain.training.checkpoint_files import load_checkpoint
from timegrain.training.stages import parse_stages

FULL, STAGED = "ItalyPowerDemand-gru--full--seed-0", "ItalyPowerDemand-gru--2-1-1-1--seed-0"


@pytest.fixture(scope="module")
def power():
    return load_task("ItalyPowerDemand")


@pytest.fixture(scope="module")
def trained(power):
    job = TrainingJob(model="gru", stages=parse_stages("1:2"), d_model=4, n_layers=1, strides=())
    return run_trainings([job, replace(job, stages=parse_stages("2:1,1:1"))], power)


def held(directory):
    return sorted(str(p.relative_to(directory)) for p in directory.rglob("*") if p.is_file())


def test_a_stored_network_answers_on_raw_data_as_it_was_scored(power, trained, tmp_path):
    places = store_checkpoints(trained, power, tmp_path / "out")
    assert [p.name for p in places] == [FULL, STAGED]
    for one, place in zip(trained, places, strict=True):
        stored = load_checkpoint(place)
        assert stored.record.metrics["accuracy"] == one.run.score
        answers = stored.predict(np.stack([power.dataset.sequences[i] for i in power.test.index]))
        right = answers == np.asarray(power.dataset.class_names)[power.test.y]
        assert "".join("1" if r else "0" for r in right) == one.run.correct
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["checkpoints"]


def test_networks_of_an_earlier_training_are_not_lost_unasked(power, trained, tmp_path):
    check_free(tmp_path)
    store_checkpoints(trained[:1], power, tmp_path)
    with pytest.raises(ResultError, match=rf"with {FULL}[\s\S]*--overwrite"):
        check_free(tmp_path)
    check_free(tmp_path, overwrite=True)


def test_earlier_networks_are_replaced_and_nothing_else(power, trained, tmp_path):
    store_checkpoints(trained[:1], power, tmp_path)
    (tmp_path / "checkpoints" / FULL / "notes.txt").write_text("mine")
    store_checkpoints(trained[1:], power, tmp_path)
    assert held(tmp_path / "checkpoints") == [
        f"{STAGED}/checkpoint.json",
        f"{STAGED}/model.safetensors",
        f"{FULL}/notes.txt",
    ]


def test_networks_of_long_plans_have_a_place_each(power, trained, tmp_path):
    long = tuple(parse_stages(",".join(["2:1"] * 30)))
    many = [
        replace(one, job=replace(one.job, stages=long, seed=i)) for i, one in enumerate(trained)
    ]
    places = store_checkpoints(many, power, tmp_path)
    assert len(set(places)) == len(many)
    scores = [load_checkpoint(p).record.metrics["accuracy"] for p in places]
    assert scores == [one.run.score for one in trained]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interrupt_changes_nothing(error, power, trained, tmp_path, monkeypatch):
    from timegrain.training import checkpoint_files

    store_checkpoints(trained[:1], power, tmp_path / "old")
    before = held(tmp_path)
    original, calls = checkpoint_files.write_atomically, []

    def write(path, content):
        calls.append(path.name)
        if len(calls) == 3:  # the first network is complete, the second has not begun
            raise error
        original(path, content)

    for name in ("old", "new"):
        calls.clear()
        monkeypatch.setattr(checkpoint_files, "write_atomically", write)
        with pytest.raises(KeyboardInterrupt if error is KeyboardInterrupt else ResultError):
            store_checkpoints(trained, power, tmp_path / name)
        assert held(tmp_path) == before
    assert not (tmp_path / "new").exists()


def test_a_place_that_cannot_be_written_is_found_before(power, trained, tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "out"):
        with pytest.raises(ResultError, match=r"but .* is a file"):
            check_free(place)
        with pytest.raises(ResultError, match="cannot write"):
            store_checkpoints(trained, power, place)
    check_free(tmp_path / "some" / "new" / "place")
    assert held(tmp_path) == ["file"]


def test_the_network_to_train_on_is_not_replaced(tmp_path):
    start = tmp_path / "out" / "checkpoints" / "first"
    start.mkdir(parents=True)
    for output in (tmp_path / "out", tmp_path / "out" / "checkpoints" / ".."):
        with pytest.raises(ConfigError, match="would be replaced"):
            check_free(output, overwrite=True, start=start)
    check_free(tmp_path / "other", start=start)


def test_an_output_is_of_one_command_and_cleared_of_what_killed_ones_left(tmp_path):
    output = tmp_path / "out"
    (output / ".checkpoints.x1").mkdir(parents=True)
    (output / ".result.json.x2").write_text("half")
    with sole_output(output):
        assert [path.name for path in output.iterdir()] == ["snapshots"]
        with pytest.raises(ResultError, match="another training writes here"), sole_output(output):
            pass
    assert not list(output.iterdir())
