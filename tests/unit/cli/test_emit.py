"""What every command prints of its results."""

import dataclasses
from pathlib import Path

from timegrain.cli.emit import emit
from timegrain.core import read_result
from timegrain.training.remarks import unlearned_sentences

GOLDEN = Path(__file__).parents[2] / "golden"


def test_a_note_is_printed_once_but_one_of_a_score_under_each(capsys):
    stored = read_result(next(GOLDEN.rglob("training-run.json")).read_text())
    run = dataclasses.replace(stored, score=0.5, low=0.4, high=0.6, trivial_score=0.5)
    (sentence,) = unlearned_sentences(run)
    run = dataclasses.replace(run, notes=(sentence, "Of all of them alike."))
    emit([run, run], as_json=False, output=None)
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.count(sentence) == 2
    assert printed.count("Of all of them alike.") == 1
