"""A recording of one's own as the input: read by its file, thinned for the coarser grids."""

import json

import numpy as np
import pytest

from timegrain.cli.main import run

WORDS = ("--refine", "recorded", "--levels", "3", "--seeds", "1", "--d-model", "2")
N = 8 * 24 + 1


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    t = np.arange(N) / 80
    rows = np.c_[t, np.sin(3 * t), np.cos(2 * t)]
    np.savetxt("rec.csv", rows, delimiter=",", header="at,a,b", comments="", fmt="%.9f")
    np.save("rec.npy", rows[:, 1:])
    np.save("noisy.npy", rows[:, 1:] + np.random.default_rng(0).normal(size=(N, 2)))
    np.save("several.npy", np.stack([rows[:, 1:], rows[::-1, 1:]]))


def told(capsys, *words, command="model"):
    assert run([command, "s4d", *words, *WORDS, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_file_is_the_finest_grid_at_its_own_rate(capsys):
    by_rate = told(capsys, "--signal", "rec.npy", "--layout", "tc", "--hz", "80")
    assert (by_rate["refine"], by_rate["unit"], by_rate["signal"]) == ("recorded", "s", "rec")
    assert by_rate["dt"] == pytest.approx(8 / 80)
    assert (by_rate["length"], by_rate["levels"], by_rate["d_input"]) == (25, 3, 2)
    by_step = told(capsys, "--signal", "rec.npy", "--layout", "tc", "--dt", "0.0125")
    by_times = told(capsys, "--signal", "rec.csv", "--time", "at", "--value", "a,b", "--hz", "80")
    for other in (by_step, by_times):
        assert other["dt"] == pytest.approx(by_rate["dt"])
        errors = [row["error"] for row in other["errors"]]
        # the csv has 9 decimals
        assert errors == pytest.approx([r["error"] for r in by_rate["errors"]], rel=1e-6)


def test_several_recordings_are_as_many_signals(capsys):
    found = told(capsys, "--signal", "several.npy", "--hz", "80")
    assert found["signal"] == f"several, 2 of 2 sequences, {N} samples of each"


def test_noise_is_said_and_a_low_pass_is_the_cure_of_the_command_line(capsys):
    assert (
        run(["model", "s4d", "--signal", "noisy.npy", "--layout", "tc", "--hz", "80", *WORDS]) == 0
    )
    text = " ".join(capsys.readouterr().out.split())
    assert "the input is rough, which limits the order" in text
    assert "Try --decimator fir" in text


def test_localise_and_remedy_take_one_too(capsys):
    assert (
        told(capsys, "--signal", "rec.npy", "--layout", "tc", command="localise")["refine"]
        == "recorded"
    )
    words = ("--signal", "rec.npy", "--layout", "tc", "--cures", "foh")
    assert told(capsys, *words, command="remedy")["refine"] == "recorded"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--signal", "rec.npz", *WORDS), "there is no file 'rec.npz'"),
        (
            (
                "--signal",
                "chrip",
            ),
            "there is no signal called 'chrip'",
        ),
        (("--signal", "rec.npy", *WORDS), "Try --layout tc, if a row is a time step"),
        (("--hz", "80"), "hz is for a recording"),
        (("--decimator", "fir"), "a decimator is for recorded samples"),
        (
            ("--signal", "rec.npy", "--layout", "tc"),
            "Try --refine interpolate, or --refine recorded",
        ),
        (("--signal", "rec.npy", "--layout", "tc", *WORDS[:2]), "Try --levels 3"),
        (("--signal", "rec.npy", "--layout", "tc", *WORDS[:-2]), "Try --d-model 2"),
    ],
)
def test_what_cannot_be_read_so_is_refused(words, said, capsys):
    assert run(["model", "s4d", *words]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
