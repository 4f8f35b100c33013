"""From a table with jittered times, a gap and a clock reset to every command, at one rate."""

import numpy as np
import pytest

from timegrain.cli.main import run

WORDS = ["--id", "person", "--time", "time", "--target", "activity"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    random = np.random.default_rng(0)
    rows = ["person,time,x,y,activity"]
    for person in range(6):
        n = 2400
        t = np.sort(np.arange(n) * 0.01 + random.normal(0, 0.0008, n))
        label = (np.arange(n) // 400 + person) % 2
        phase = np.cumsum(2 * np.pi * np.where(label, 3.0, 1.0) * 0.01)
        x, y = np.sin(phase), np.cos(phase) + 0.1 * random.normal(size=n)
        keep = np.ones(n, dtype=bool)
        keep[1000 : 1020 + person] = False
        if person == 3:
            t[1800:] -= 7
        rows += [
            f"p{person},{1.7e9 + t[i]:.4f},{x[i]:.4f},{y[i]:.4f},{('rest', 'walk')[label[i]]}"
            for i in np.flatnonzero(keep)
        ]
    path = tmp_path_factory.mktemp("jitter") / "people.csv"
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def said(capsys) -> str:
    found = capsys.readouterr()
    return " ".join((found.out + found.err).split())


def test_data_says_what_was_done(table, capsys):
    assert run(["data", table, *WORDS, "--common-hz", "50"]) == 0
    text = said(capsys)
    assert "put on a uniform grid of 50 Hz" in text and "every step has its own" not in text
    assert "on cubic splines through them" in text
    assert "content is weakened from 20 Hz on" in text
    assert "lie in gaps: left empty" in text and "1 step back in time (p3)" in text


def test_train_takes_it_where_it_refused_the_times(table, capsys):
    words = ["train", "s4d", table, *WORDS, "--window", "1s", "--epochs", "1", "--d-model", "4"]
    assert run(words) == 2
    assert "Try --common-hz 100, or a lower rate" in said(capsys)
    assert run([*words, "--strides", "1,2", "--common-hz", "50"]) == 0
    text = said(capsys)
    assert "missing samples were set to the training mean" in text and "tau = 2" in text


def test_advise_can_filter_what_is_on_a_grid(table, capsys):
    words = ["advise", table, *WORDS, "--window", "1s", "--strides", "2"]
    assert run(words) == 0
    assert "--common-hz puts them on a grid" in said(capsys)
    assert run([*words, "--common-hz", "50"]) == 0
    text = said(capsys)
    assert "puts them on a grid" not in text and "25 Hz (every 2nd sample)" in text


def test_more_samples_than_were_recorded_are_refused(table, capsys):
    assert run(["data", table, *WORDS, "--common-hz", "200"]) == 2
    assert "Try --common-hz 100 or less" in said(capsys)
