"""Options of generated sets, wherever a task is named, and what results keep of them."""

import json

import pytest

from timegrain.cli.main import run
from timegrain.cli.options import assignments
from timegrain.data import load_dataset
from timegrain.training import load_checkpoint

SMALL = "n_train=40,n_validation=4,n_test=20,length=64"


def said(capsys):
    return json.loads(capsys.readouterr().out)


def test_data_measures_what_was_asked_for_and_keeps_the_words(capsys):
    words = ["data", "damped-forecast", "--json", "--seed", "3", "--source-options"]
    assert run([*words, f"{SMALL},horizon=.5,eta=0.25"]) == 0
    found = said(capsys)
    kept = found["provenance"]["parameters"]["data_options"]
    assert kept == {
        "n_train": 40,
        "n_validation": 4,
        "n_test": 20,
        "length": 64,
        "horizon": 0.5,
        "eta": 0.25,
        "seed": 3,
    }
    again = load_dataset("damped-forecast", **kept)
    assert again.options == kept and len(again) == 64
    assert run([*words, f"{SMALL},horizon=.5"]) == 0
    assert said(capsys)["continuity"] > found["continuity"]


def test_the_dial_eta_follows_further_options(capsys):
    words = ["data", "damped-forecast", "--seed", "1", "--dial", "eta=0,1", "--json"]
    assert run([*words, "--source-options", f"{SMALL},horizon=0.2"]) == 0
    curve, dial = said(capsys)
    plain, symbols = (dose["discontinuity"] for dose in dial["doses"])
    assert plain == pytest.approx(1 - curve["continuity"], abs=1e-9) and symbols > plain


def test_any_set_takes_a_dial(capsys):
    assert run(["data", "GunPoint", "--source-options", "window_shuffle=4", "--json"]) == 0
    found = said(capsys)
    assert found["provenance"]["parameters"]["data_options"] == {"window_shuffle": 4}
    assert found["continuity"] < 0.99


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("horzon=1", "has no option 'horzon', expected one of eta, length, dt, horizon, "),
        ("length=1", "length is the number of samples"),
        ("seed=1", "expected --seed"),
        ("kind=real", "expected --kind"),
        ("eta", "takes name=value"),
    ],
)
def test_wrong_words_say_which_there_are(given, text, capsys):
    words = ["data", "damped-forecast", "--kind", "real", "--source-options", given]
    assert run(words) == 2
    error = capsys.readouterr().err
    assert text in " ".join(error.split()), error


def test_numbers_as_people_write_them():
    assert assignments("a=.5,b=5.,c=-.25,d=1e-3,e=x.5", "--source-options") == {
        "a": 0.5,
        "b": 5.0,
        "c": -0.25,
        "d": 1e-3,
        "e": "x.5",
    }


def test_a_stored_network_remembers_how_its_data_were_made(tmp_path, capsys):
    options = f"{SMALL},eta=0.5"
    command = [
        *("train", "gru", "damped-forecast", "--source-options", options, "--seed", "2"),
        *("--d-model", "4", "--layers", "1", "--epochs", "1", "--strides", "1"),
    ]
    assert run([*command, "--output", str(tmp_path / "out"), "--json"]) == 0
    run_of = json.loads(capsys.readouterr().out)[0]
    assert run_of["provenance"]["parameters"]["data_options"]["eta"] == 0.5
    place = next((tmp_path / "out" / "checkpoints").iterdir())
    assert load_checkpoint(place).record.cases["source_options"] == options
    assert run(["transfer", str(place), "damped-forecast", "--tau", "1", "--json"]) == 0
    caught = capsys.readouterr()
    assert "--source-options " + options in caught.err
    assert json.loads(caught.out)["provenance"]["parameters"]["data_options"]["seed"] == 2


def test_answers_at_every_sample_are_trained_with_the_head_that_gives_them(capsys):
    options = "n_train=24,n_validation=2,n_test=12,pairs=4,length=32,answer=every"
    command = [
        *("train", "gru", "mqar", "--source-options", options, "--strides", "1"),
        *("--d-model", "4", "--layers", "1", "--epochs", "1"),
    ]
    assert run([*command, "--head", "step", "--json"]) == 0
    assert run(command) == 2
    assert "Try --head step" in capsys.readouterr().err


def test_a_plan_measured_of_other_data_is_another_plan():
    from timegrain.cli.train_flags import STAGES
    from timegrain.data import load_task

    words = {"n_train": 8, "n_validation": 1, "n_test": 4, "length": 64}
    plain, symbols = (load_task("damped-forecast", eta=eta, **words) for eta in (0, 1))
    assert STAGES.measured_with(plain, 0) != STAGES.measured_with(symbols, 0)
    assert "data_options" not in STAGES.measured_with(load_task("GunPoint"), 0)


def test_many_files_take_no_options(tmp_path, capsys):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("x\n1\n2\n3\n4\n")
    pattern = str(tmp_path / "*.csv")
    assert run(["data", pattern, "--source-options", "window_shuffle=2"]) == 2
    assert "--source-options needs whole recordings" in " ".join(capsys.readouterr().err.split())
