import json

import pytest

from timegrain.cli.main import run

SMALL = ["--d-model", "2", "--layers", "1", "--strides", "1"]


def test_auto_trains_in_the_stages_that_the_label_allows(capsys):
    assert (
        run(["train", "gru", "GunPoint", *SMALL, "--plan", "auto", "--epochs", "5", "--json"]) == 0
    )
    stdout, stderr = capsys.readouterr()
    training, _, advice = json.loads(stdout)
    assert training["plan"] == "4:2,2:2,1:1"
    assert "--tbptt" not in stderr
    assert advice["schema"] == "plan-advice"
    assert [stage["stride"] for stage in advice["plan"]["stages"]] == [4, 2, 1]
    assert "plan: subsample: stages of stride 4, 2, 1" in stderr


def test_a_plan_has_no_more_stages_than_epochs(capsys):
    assert run(["train", "gru", "GunPoint", *SMALL, "--plan", "auto", "--epochs", "2"]) == 0
    stdout = " ".join(capsys.readouterr().out.split())
    assert "stages 1 epoch at stride 2, 1 epoch at stride 1" in stdout
    # shares of 8 and 2 parts give .6, an epoch of each .75
    assert "cost 0.60 of the samples of as many epochs at full resolution by its shares" in stdout
    assert "0.75 in 2 whole epochs" in stdout
    assert "the coarsest 1 of 3 stages were left out, so that each has an epoch" in stdout
    assert "at stride 2 the label keeps" in stdout


def test_a_plan_that_was_asked_for_is_warned_of(capsys):
    words = ["train", "gru", "ItalyPowerDemand", *SMALL, "--plan", "8:2,1:1"]
    assert run(words) == 0
    stdout, stderr = capsys.readouterr()
    assert "warning: the label falls at stride 8" in stderr
    assert "2 epochs at stride 8, 1 epoch at stride 1" in stdout
    assert max(map(len, stdout.splitlines())) <= 80


def test_no_plan_is_all_samples(capsys):
    words = ["train", "gru", "ItalyPowerDemand", *SMALL, "--plan", "none", "--epochs", "1"]
    assert run(words) == 0
    stdout, stderr = capsys.readouterr()
    assert "1 epoch at stride 1" in stdout
    assert "measuring" not in stderr


def test_a_dry_run_measures_nothing(capsys):
    assert run(["train", "gru", "OSULeaf", *SMALL, "--plan", "auto", "--dry-run"]) == 0
    stderr = " ".join(capsys.readouterr().err.split())
    assert "in the stages that the label allows" in stderr
    assert "measuring" not in stderr


@pytest.mark.parametrize(
    ("words", "mention"),
    [
        (["--plan", "auto", "--stages", "2:1"], "--plan auto"),
        (["--plan", "coarse"], "for a plan also auto or none"),
        (["--plan", "auto", "--keep", "2"], "got --keep 2, expected above 0"),
        (["--plan", "2:0"], "many epochs, got 0"),
        (["--plan", "64:1,1:1"], "too short for these stages, got stride 64"),
        (["--plan", "4:1,1:1", "--epochs", "1"], "fewer epochs than stages"),
    ],
)
def test_plans_that_cannot_be_are_refused(words, mention, capsys):
    assert run(["train", "gru", "ItalyPowerDemand", *SMALL, *words]) == 2
    assert mention in " ".join(capsys.readouterr().err.split())


def test_full_resolution_is_trained_beside_when_asked(capsys):
    words = ["train", "gru", "ItalyPowerDemand", *SMALL, "--stages", "2:1,1:1"]
    assert run([*words, "--compare", "full", "--json"]) == 0
    stdout, stderr = capsys.readouterr()
    plans = [r["plan"] for r in json.loads(stdout) if r["schema"] == "training-run"]
    assert plans == ["2:1,1:1", "full"]
    assert "saving: Do stages pay? gru on ItalyPowerDemand, stages 2:1,1:1: " in stderr
    staged = json.loads(stdout)[0]
    assert staged["provenance"]["parameters"]["saving"]["verdict"] in stderr
    assert "Do stages pay? gru on" in staged["notes"][-1]
    assert run([*words, "--json"]) == 0
    assert "cannot tell: nothing was trained at full resolution" in " ".join(
        capsys.readouterr().err.split()
    )
    assert run([*words, "--compare", "full", "--dry-run"]) == 0
    assert capsys.readouterr().err.count("would train") == 2


def test_nothing_is_compared_with_itself(capsys):
    words = ["train", "gru", "ItalyPowerDemand", *SMALL, "--compare", "full"]
    assert run(words) == 2
    assert "there are no stages to compare" in capsys.readouterr().err


def test_a_plan_for_what_does_not_fit_reads_it_all_and_says_so(capsys):
    words = ["train", "gru", "ItalyPowerDemand", *SMALL, "--plan", "2:1,1:1", "--tbptt", "8"]
    assert run(words) == 0
    said = "plan: that reads every sample of the training part, whatever --tbptt says"
    assert said in capsys.readouterr().err.splitlines()
