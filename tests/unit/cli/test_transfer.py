import json

import numpy as np
import pytest

from timegrain.cli.main import run
from timegrain.core.output import read_output
from timegrain.training import load_checkpoint


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A file of long recordings of two levels, and a network trained on windows of it."""
    folder = tmp_path_factory.mktemp("transfer")
    random = np.random.default_rng(0)
    y = np.resize([0, 1], 40)
    x = random.normal(size=(40, 600, 1)) + 2 * y[:, None, None]
    np.savez(folder / "own.npz", x=x, y=y)
    words = ["train", "s4d", str(folder / "own.npz"), "--target", "y", "--key", "x"]
    words += ["--hz", "500", "--window", "100", "--seed", "3", "--epochs", "2", "--strides", "1"]
    assert run([*words, "--d-model", "4", "--layers", "1", "--output", str(folder / "run")]) == 0
    (net,) = (folder / "run" / "checkpoints").iterdir()
    return folder, net


def words_of(place, *more):
    folder, net = place
    file = ["--target", "y", "--key", "x", "--file-hz", "500", "--window", "100"]
    return ["transfer", str(net), str(folder / "own.npz"), *file, *more]


def test_rates_in_hertz_are_scored_and_stored(place, tmp_path, capsys):
    assert run(words_of(place, "--hz", "300,250,125", "--output", str(tmp_path / "out"))) == 0
    stdout, stderr = capsys.readouterr()
    assert max(map(len, stdout.splitlines())) <= 80
    assert stdout.startswith("rate transfer: s4d on own")
    assert "250 Hz, filtered, not told" in stdout
    assert "125 Hz, filtered  " in stdout
    assert "the filter needs 963 samples" in " ".join(stdout.split())
    assert "report.html" in stderr
    result = read_output(tmp_path / "out").result
    assert result.row(2, told=True, decimator="fir").drop_high is not None
    page = (tmp_path / "out" / "report.html").read_text()
    assert "How slow may the samples be?" in page
    assert page.count("<small>the filter needs 963 samples") == 1  # why, and not twice
    assert "Whiskers are the 95 % intervals over" in page
    assert "may have been trained on" not in stdout
    assert str(tmp_path) not in page


def test_cases_are_cut_and_split_as_for_the_training(place, tmp_path, capsys):
    folder, net = place
    assert load_checkpoint(net).record.cases == {
        "window": "100",
        "hop": None,
        "ahead": None,
        "seed": 3,
    }
    words = ["transfer", str(net), str(folder / "own.npz"), "--target", "y", "--key", "x"]
    words += ["--file-hz", "500", "--tau", "2", "--json"]
    found = []
    for more in ([], ["--window", "100", "--seed", "3"]):
        assert run([*words, *more]) == 0
        stdout, stderr = capsys.readouterr()
        assert ("cases: --window 100, as in its training" in stderr) == (not more)
        found.append(json.loads(stdout)["scores"])
        assert "may have been trained on" not in stdout
    assert found[0] == found[1]
    assert run([*words, "--seed", "4"]) == 0
    assert "may have been trained on" in capsys.readouterr().out
    words = ["train", str(folder / "own.npz"), *words[3:9], "--init", str(net), "--seed", "3"]
    words += ["--epochs", "1", "--strides", "1", "--output", str(tmp_path / "out")]
    assert run(words) == 0
    assert "cases: --window 100, as in its training" in capsys.readouterr().err
    (tuned,) = (tmp_path / "out" / "checkpoints").iterdir()
    assert load_checkpoint(tuned).record.cases == load_checkpoint(net).record.cases


def test_json_is_one_object(place, capsys):
    assert run(words_of(place, "--dt", "4ms", "--json")) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == "rate-transfer"
    assert {row["stride"] for row in data["scores"]} == {1, 2}
    assert data["hz"] == 500.0


def test_a_limit_that_is_missed_is_status_1(place, capsys):
    assert run(words_of(place, "--tau", "2", "--fail-under", "stride=3")) == 1
    assert "fail-under" in capsys.readouterr().err
    assert run(words_of(place, "--tau", "2", "--fail-under", "score=0")) == 0


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
@pytest.mark.parametrize(
    ("more", "mention"),
    [
        (["--hz", "600"], "only slower rates"),
        (["--hz", "250", "--tau", "2"], "--hz and --tau"),
        (["--tau", "64"], "tau = 64 (7.812 Hz), which leaves"),
        (["--tolerance", "-1"], "--tolerance -1"),
        (["--fail-under", "speed=1"], "no such figure"),
    ],
)
def test_errors_come_before_any_scoring(more, mention, dry, place, capsys):
    assert run([*words_of(place), *more, *dry]) == 2
    assert mention in " ".join(capsys.readouterr().err.split())


def test_a_dry_run_scores_nothing(place, tmp_path, capsys):
    out = tmp_path / "out"
    assert run(words_of(place, "--dry-run", "--output", str(out))) == 0
    stdout, stderr = capsys.readouterr()
    assert stdout == ""
    assert "tau = 1, 2, 4" in stderr
    assert not out.exists()


def test_a_file_at_another_rate_is_refused_with_its_flag(place, capsys):
    folder, net = place
    words = ["transfer", str(net), str(folder / "own.npz"), "--target", "y", "--key", "x"]
    assert run([*words, "--window", "100"]) == 2
    assert "--file-hz" in capsys.readouterr().err
    assert run(["transfer", str(folder / "nowhere"), "ItalyPowerDemand"]) == 2
    assert "there is no checkpoint here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "mention"),
    [(["--window", "1s"], "--file-"), (["--window", "9", "--file-hz", "0"], "--file-hz")],
)
def test_errors_of_the_file_name_its_own_flags(more, mention, place, capsys):
    folder, net = place
    words = ["transfer", str(net), str(folder / "own.npz"), "--target", "y", "--key", "x"]
    assert run([*words, *more]) == 2
    text = " ".join(capsys.readouterr().err.split())
    assert mention in text
    assert " --hz" not in text
    assert " --dt" not in text


def test_help_tells_the_two_rates_apart(capsys):
    assert run(["transfer", "--help"]) == 0
    text = capsys.readouterr().out
    for option in ("--hz", "--dt", "--tau", "--file-hz", "--file-dt", "--common-hz"):
        assert option in text
