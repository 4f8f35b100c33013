import numpy as np
import pytest

from timegrain.cli.main import run
from timegrain.cli.wording import for_terminal, wrapped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Try time='ts'.", "Try --time ts."),
        ("Try delimiter=';'.", "Try --delimiter ';'."),
        ("Try d_input=3.", "Try --d-input 3."),
        ("Try d_input=... to say it.", "Try --d-input ... to say it."),
        ("amplitudes=(0.1, 1, 10) gives a law", "--amplitudes 0.1,1,10 gives a law"),
        ("layout= has no use here", "--layout has no use here"),
        ("got n_pairs=0", "got n_pairs=0"),
        ("cannot read d/length=3/x.npz", "cannot read d/length=3/x.npz"),
        ("cannot read length=30/x.npz.", "cannot read length=30/x.npz."),
        (r"cannot read d\\length=3.npz", r"cannot read d\\length=3.npz"),
        ("with 'length=3' in it", "with 'length=3' in it"),
        ("Try dt=0.01.", "Try --dt 0.01."),
        ("making room, and then resume=True.", "making room, and then --resume."),
        ("signal.resample_uniform(dt=0.01)", "signal.resample_uniform(dt=0.01)"),
    ],
)
def test_options_take_their_shell_form(text, shown):
    assert for_terminal(text) == shown


def test_what_is_no_error_keeps_its_words():
    text = "would train s4d, full, seed 0, on keep=5.npz, " + "and so on " * 8
    assert wrapped(text).replace("\n", " ") == text.strip()
    assert max(map(len, wrapped(text).splitlines())) <= 80


def test_a_dry_run_names_a_path_as_it_is(tmp_path, capsys):
    folder = tmp_path / "length=3"
    folder.mkdir()
    y = np.resize([0, 1], 10)
    np.savez(folder / "x.npz", x=np.zeros((10, 16, 1)) + y[:, None, None], y=y)
    words = [str(folder / "x.npz"), "--target", "y", "--hz", "1", "--dry-run"]
    assert run(["train", "gru", *words]) == 0
    assert str(folder / "x.npz") in capsys.readouterr().err
    assert run(["train", "gru", str(folder / "y.npz"), *words[1:]]) == 2
    said = capsys.readouterr().err
    assert str(folder / "y.npz") in said and "--length" not in said


def test_lines_are_wrapped_and_paths_kept_whole():
    path = "/very/long/" + "folder/" * 20 + "file.csv"
    shown = for_terminal(f"error: cannot read {path}, " + "because of reasons " * 8)
    assert path in shown
    assert max(len(line) for line in shown.splitlines() if path not in line) <= 80
