"""The benchmark of tasks: it goes on where it was stopped, and says what it could not measure."""

import json
import pickle
from dataclasses import replace

import pytest

import tasks as benchmark
import tasks_cards
import tasks_table
import tasks_units
from tasks_units import BASELINE, CONTINUITY, MODEL, Unit
from timegrain.data.cards import Learnable, task_card, task_cards
from units import Folder, Work, run

TINY = replace(
    tasks_units.SIZES,
    n_sequences=20,
    n_train=40,
    n_test=30,
    window=16,
    d_model=4,
    n_layers=1,
    epochs=(1, 2),
    model="gru",
)
WORK = Work(
    sizes=TINY, carry_out=tasks_units.carry_out, needs=tasks_units.needs, say=benchmark.outcome
)


def unmeasured(name):
    card = task_card(name)
    problem = card.problem and replace(card.problem, learnable=Learnable())
    return replace(card, problem=problem)


CARDS = tuple(unmeasured(name) for name in ("ItalyPowerDemand", "ecg", "python-source"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = Folder(tmp_path_factory.mktemp("units"), tasks_units.settings_of(TINY))
    units = tasks_units.units_of(CARDS[:1])
    assert run(units, made, WORK)
    return made


def test_units_are_of_every_card_and_scores_only_where_something_is_asked():
    units = tasks_units.units_of(CARDS)
    assert len(units) == 3 + 2 + 2
    assert len({unit.name for unit in units}) == len(units)
    assert Unit(kind=MODEL, task="python-source") not in units


def test_folders_of_the_user_are_not_measured():
    card = replace(CARDS[0], origin="folder", package="")
    assert tasks_units.units_of([card]) == []
    rows = [r for r in tasks_table.tables_of(TINY, [card], {}, {}).splitlines() if r[:1] == "|"]
    assert rows[-1].endswith("| 0.499 | ? / ? |  |  |  |")
    assert len({row.count("|") for row in rows}) == 1


def test_what_is_found_has_a_score_an_interval_and_the_trivial_one(folder):
    found = {
        k: folder.read(Unit(kind=k, task="ItalyPowerDemand")) for k in (CONTINUITY, BASELINE, MODEL)
    }
    assert 0 < found[CONTINUITY]["low"] <= found[CONTINUITY]["continuity"] <= 1
    assert found[CONTINUITY]["n_sequences"] == 20
    assert found[BASELINE]["score"] > 0.8 > found[BASELINE]["trivial"]
    assert (found[MODEL]["n_train"], found[MODEL]["n_test"]) == (67, 60)  # all, and twice 30
    assert all(result["processor_seconds"] > 0 for result in found.values())
    assert json.dumps(found)


def test_units_are_done_once_and_again_for_another_version(folder, capsys, monkeypatch):
    units = tasks_units.units_of(CARDS[:1])
    assert run(units, folder, WORK)
    assert "3 of 3 units are there" in capsys.readouterr().out
    monkeypatch.setattr(tasks_units, "task_card", lambda name: replace(task_card(name), version=99))
    assert all(folder.read(unit) is None for unit in units)


def test_a_task_that_cannot_be_measured_says_why():
    unit = Unit(kind=CONTINUITY, task="ItalyPowerDemand")
    result = tasks_units.carry_out(unit, replace(TINY, window=128), None)
    assert result == {"reason": "no sequence is long enough, got 24 samples in the longest of 20"}
    assert benchmark.outcome(result).startswith("not measured: no sequence is long enough")


def test_the_tables_hold_what_is_known_and_what_was_found(folder):
    units = tasks_units.units_of(CARDS)
    done = {unit: found for unit in units if (found := folder.read(unit)) is not None}
    text = tasks_table.tables_of(TINY, CARDS, done, {"torch": "2"})
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in rows}) == 1
    assert "**3 of 7 measurements are done.**" in text
    italy = next(line for line in rows if line.startswith("| `ItalyPowerDemand` |"))
    assert "2 classes | 67 / - / 1,029 | 24 x 1 | 0.499 | ? / ? | 0." in italy
    ecg = next(line for line in rows if line.startswith("| `ecg` |"))
    assert ecg.endswith("| not yet | not yet | not yet |")
    source = next(line for line in rows if line.startswith("| `python-source` |"))
    assert source.endswith("| not yet |  |  |")
    assert "Published: ROCKET, accuracy 0.97 on the same published parts" in text
    assert 'load_task("ecg", window=180, hop=60, ahead=36)' in text


def test_tables_go_from_continuous_to_not():
    cards = [card for card in task_cards() if card.origin == "package"][:5]
    found = [{"continuity": c, "low": None} for c in (0.2, 0.9, 0.9004)] + [{"reason": "short"}]
    done = {
        Unit(kind=CONTINUITY, task=card.name): result
        for card, result in zip(cards, found, strict=False)
    }
    order = [cards.index(card) for card in tasks_table._smooth_first(cards, done)]
    # .9 and .9004 are printed alike, and stand by their names
    assert order == [1, 2, 0, 3, 4]


def test_a_score_that_is_not_above_the_trivial_one_is_marked_and_a_reason_is_one_cell():
    cells = [
        tasks_table._score({"score": 0.6, "low": 0.55, "high": 0.7, "trivial": 0.5}),
        tasks_table._score({"score": 0.6, "low": 0.45, "high": 0.7, "trivial": 0.5}),
        tasks_table._score({"score": 0.6, "low": None, "high": None, "trivial": 0.5}),
        tasks_table._score({"reason": "too few\n|cases|"}),
    ]
    assert cells == [
        "0.600 [0.550, 0.700]",
        "0.600 [0.450, 0.700] (trivial)",
        "0.600 (trivial)",
        "none: too few \\|cases\\|",
    ]


CARD = """version = 1

[problem]
asks = "what"
words = { a = "[b]" }

[[literature]]
model = "a coin"
"""


@pytest.mark.parametrize("text", [CARD, CARD.split("\n[[")[0]])
def test_a_card_is_told_what_was_measured_and_only_that(text):
    both = tasks_cards.with_learnable(text, {"baseline": True, "model": False})
    line = "learnable = { baseline = true, model = false }\n"
    assert both == text.replace('"[b]" }\n', '"[b]" }\n' + line)
    assert tasks_cards.with_learnable(both, {}) == text
    again = tasks_cards.with_learnable(both, {"model": True})
    assert again.replace("{ model = true }", "{ baseline = true, model = false }") == both


def test_cards_are_written_from_units_and_those_that_are_stale_are_known(folder, tmp_path):
    card = CARDS[0]
    file = tmp_path / f"{card.name}.toml"
    file.write_text(CARD.replace("what", card.problem.asks))
    card = replace(card, problem=replace(card.problem, learnable=Learnable(model=False)))
    unit = Unit(kind=BASELINE, task=card.name)
    done = {unit: folder.read(unit)}
    assert tasks_cards.says_otherwise(card, done)
    assert not tasks_cards.says_otherwise(card, {})
    assert tasks_cards.write_cards(tmp_path, [card, CARDS[2]], done) == [card.name]
    assert "learnable = { baseline = true }\n" in file.read_text()
    assert tasks_cards.write_cards(tmp_path, [card], done) == []
    assert tasks_cards.above_trivial({"reason": "none"}) is None


def test_long_cases_are_fewer_and_epochs_follow_the_samples():
    sizes = tasks_units.SIZES
    assert sizes.cases(512, 128) == 512
    assert sizes.cases(512, 16_384) == 61
    assert sizes.cases(512, 108_000) == sizes.fewest_cases
    assert (sizes.epochs_of(67, 24), sizes.epochs_of(512, 1024), sizes.epochs_of(512, 16_384)) == (
        40,
        6,
        3,
    )


@pytest.mark.parametrize(
    ("task", "train", "test"),
    [
        ("vdp-inference", 512, 400),  # 1024 samples
        ("PigCVP", 512, 400),  # 2000
        ("lorenz", 1024, 800),  # 512
        ("vdp-forecast", 2048, 800),  # 256
        ("dyck", 4096, 800),  # 128
        ("ItalyPowerDemand", 4096, 800),  # 24
        ("ecg", 3072, 800),  # windows of 180
        ("python-source", 512, 400),  # nothing is asked
    ],
)
def test_there_are_more_cases_where_they_are_short(task, train, test):
    sizes = tasks_units.sizes_of(task, tasks_units.SIZES)
    assert (sizes.n_train, sizes.n_test) == (train, test)
    assert sizes == replace(tasks_units.SIZES, n_train=train, n_test=test)


def test_the_last_sample_answers_where_the_end_is_asked_for():
    names = ("vdp-forecast", "vdp-inference", "dyck", "sortseq-dna", "ecg", "path-x", "GunPoint")
    ends = [tasks_units.asks_of_the_end(task_card(name)) for name in names]
    assert ends == [True, False, True, False, True, False, False]
    settings = tasks_units.settings_of(TINY)
    assert settings(Unit(kind=MODEL, task="dyck"))["head"] == "last"
    assert "head" not in settings(Unit(kind=BASELINE, task="dyck"))


def test_settings_go_to_other_processes():
    settings = tasks_units.settings_of(TINY)
    unit = Unit(kind=MODEL, task="dyck")
    assert pickle.loads(pickle.dumps(settings))(unit) == settings(unit)


def test_the_page_is_written_from_the_cards_alone(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- measured: begin -->\n<!-- measured: end -->\nafter\n")
    words = ["tasks.py", "--table", "--page", str(page), "--output", str(tmp_path / "none")]
    monkeypatch.setattr("sys.argv", words)
    benchmark.main()
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n")
    assert all(f"| `{card.name}` |" in text for card in task_cards())
