"""Cards are read strictly: what a file says wrongly is named."""

import pytest

from timegrain.core.errors import DataError
from timegrain.data.cards import Learnable, TaskCard, read_card

GOOD = """
version = 2
what = "Nothing."
source = "Nobody, nowhere (1900)"
licence = "Generated."
origin = "generated"

[size]
sequences = 8
shortest = 4
longest = 6
symbols = 3
unit = "symbol"

[problem]
asks = "the last symbol"
target = "class"
metric = "accuracy"
trivial = 0.5
train = 4
validation = 1
test = 3
classes = 3
words = { window = 4, target = "a" }
learnable = { baseline = false }

[[literature]]
model = "a coin"
metric = "accuracy"
score = 0.5
source = "Nobody, table 1"
on = "these cases"
"""


def read(tmp_path, text, name="mine"):
    path = tmp_path / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return read_card(path)


def test_a_card_holds_what_its_file_says(tmp_path):
    card = read(tmp_path, GOOD)
    assert isinstance(card, TaskCard)
    assert (card.name, card.version, card.package, card.notes) == ("mine", 2, "", ())
    assert (card.size.kind, card.size.width, card.size.dt) == ("tokens", 3, 1.0)
    assert card.problem.words == {"window": 4, "target": "a"}
    assert card.problem.learnable == Learnable(baseline=False, model=None)
    assert (card.problem.outputs, card.problem.per_sample) == (1, False)
    assert [score.model for score in card.literature] == ["a coin"]


def test_tables_may_be_left_out(tmp_path):
    card = read(tmp_path, GOOD.split("[size]")[0])
    assert (card.size, card.problem, card.literature) == (None, None, ())


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("version = 2", "", "lacks fields.*version"),
        ("version = 2", "version = 0", "version.*got 0.*>= 1"),
        ("version = 2", 'version = "2"', "version.*'2'"),
        ("version = 2", "version = true", "version.*True"),
        ("version = 2", "version = 2\nlicense = 'x'", "unknown fields.*license"),
        ("version = 2", "version = 2\nname = 'mine'", "its name again"),
        ("version = 2", "version = ", "not TOML"),
        ('what = "Nothing."', 'what = " "', "what.*' '"),
        ('origin = "generated"', 'origin = "made"', "origin.*'made'.*package, generated"),
        ('origin = "generated"', 'origin = "package"', "package where none is"),
        ('origin = "generated"', 'origin = "folder"\npackage = "aeon"', "package where none is"),
        ("sequences = 8", "sequences = 0", "sequences.*got 0"),
        ("longest = 6", "longest = 3", "longest.*got 3.*>= 4"),
        ("shortest = 4", "shortest = 1", "shortest.*got 1.*>= 2"),
        ("symbols = 3", "", "neither or both"),
        ("symbols = 3", "symbols = 3\nchannels = 1", "neither or both"),
        ('unit = "symbol"', 'unit = "symbol"\ndt = 0', "dt.*got 0"),
        ('unit = "symbol"', 'unit = "symbol"\ndt = nan', "not finite"),
        ('target = "class"', 'target = "classes"', "target.*'classes'"),
        ('metric = "accuracy"\ntrivial', 'metric = "r2"\ntrivial', "metric.*'r2'"),
        ("trivial = 0.5", "trivial = -0.1", "trivial.*outside.*-0.1"),
        ("trivial = 0.5", "trivial = 50", "trivial.*outside.*50"),
        ("train = 4", "train = 0", "train.*got 0"),
        ("validation = 1", "validation = -1", "validation.*got -1"),
        ("classes = 3", "classes = 1", "classes.*got 1"),
        ("classes = 3", "", "classes or of outputs"),
        ("{ baseline = false }", "false", "learnable"),
        ("{ baseline = false }", "{ baseline = 1 }", "baseline"),
        ("{ baseline = false }", "{ network = true }", "unknown fields.*network"),
        ("classes = 3", "classes = 3\noutputs = 2", "classes or of outputs"),
        ("score = 0.5", "score = 50.0", "score.*outside.*50"),
        ('on = "these cases"', "", "lacks fields.*on"),
        ('on = "these cases"', 'on = ""', "no usable on"),
        (
            'metric = "accuracy"\nscore = 0.5',
            'metric = "r2"\nscore = -3.0',
            "scores in another metric.*r2",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_file(tmp_path, old, new, words):
    assert old in GOOD
    with pytest.raises(DataError, match=f"(?s)mine.*{words}"):
        read(tmp_path, GOOD.replace(old, new, 1))


def test_scores_need_something_that_is_asked(tmp_path):
    head, rest = GOOD.split("[problem]")
    with pytest.raises(DataError, match="scores in another metric"):
        read(tmp_path, head + rest[rest.index("[[literature]]") :])


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match=r"cannot read the card absent\.toml"):
        read_card(tmp_path / "absent.toml")
    (tmp_path / "latin.toml").write_bytes('what = "é"'.encode("latin-1"))
    with pytest.raises(DataError, match=r"cannot read the card latin\.toml"):
        read_card(tmp_path / "latin.toml")
