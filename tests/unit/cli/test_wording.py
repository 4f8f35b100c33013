import pytest

from timegrain.cli.wording import for_terminal


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
        ("making room, and then resume=True.", "making room, and then --resume."),
        ("signal.resample_uniform(dt=0.01)", "signal.resample_uniform(dt=0.01)"),
    ],
)
def test_options_take_their_shell_form(text, shown):
    assert for_terminal(text) == shown


def test_lines_are_wrapped_and_paths_kept_whole():
    path = "/very/long/" + "folder/" * 20 + "file.csv"
    shown = for_terminal(f"error: cannot read {path}, " + "because of reasons " * 8)
    assert path in shown
    assert max(len(line) for line in shown.splitlines() if path not in line) <= 80
