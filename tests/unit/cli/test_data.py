"""`timegrain data` on files as people have them."""

import json

import numpy as np
import pytest

from timegrain.cli.main import run

T = np.arange(2000) / 100


def table(folder, head, *columns, form="%.2f", **options):
    path = folder / "log.csv"
    text = {"delimiter": ",", "header": head, "comments": "", "fmt": form, **options}
    np.savetxt(path, np.column_stack(columns), **text)
    return str(path)


def test_a_time_column_is_asked_for_in_the_words_of_the_shell(tmp_path, capsys):
    path = table(tmp_path, "time,x", T, np.sin(T))
    assert run(["data", path]) == 2
    error = capsys.readouterr().err
    assert "Try --time time; to measure it as a channel, rename it" in error
    assert run(["data", path, "--time", "time"]) == 0
    assert "time units: D(" in " ".join(capsys.readouterr().out.split())


def test_a_rate_beside_times_names_their_unit_or_is_refused(tmp_path, capsys):
    path = table(tmp_path, "time,x", T, np.sin(T))
    assert run(["data", path, "--time", "time", "--hz", "100", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["dt"], result["unit"]) == (0.01, "s")
    assert run(["data", path, "--time", "time", "--hz", "50"]) == 2
    assert "got a step of 0.02 s (50 Hz), expected 0.01 time units" in " ".join(
        capsys.readouterr().err.split()
    )


def test_semicolons_and_axes_are_named_in_the_words_of_the_shell(tmp_path, capsys):
    path = table(tmp_path, "a;b", T, T % 1, delimiter=";")
    assert run(["data", path, "--delimiter", ","]) == 2
    assert "Try --delimiter ';'." in capsys.readouterr().err
    np.save(tmp_path / "a.npy", np.zeros((50, 2, 400)))
    assert run(["data", str(tmp_path / "a.npy")]) == 2
    assert "Try --layout bct, if the axis of 400 is time." in capsys.readouterr().err


def test_what_is_known_of_the_file_is_printed(tmp_path, capsys):
    assert run(["data", table(tmp_path, "a,b", np.arange(2000), np.sin(T))]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "2,000 rows were read as time steps, 2 columns as channels" in text
    assert "column 'a' rises in equal steps" in text


@pytest.mark.parametrize("word", ["OSULaef", "zzzzz"])
def test_an_unknown_name_is_not_answered_with_all_names(word, capsys):
    assert run(["data", word]) == 2
    error = capsys.readouterr().err
    assert "timegrain ls" in error and len(error) < 250
