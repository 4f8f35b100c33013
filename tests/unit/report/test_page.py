"""The page: what it holds, what it must not hold, and that it is one file."""

import dataclasses
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import ClassVar

import pytest

from timegrain._version import __version__
from timegrain.checks import check_model
from timegrain.core import read_result
from timegrain.core.errors import ConfigError, ResultError
from timegrain.core.outcome import Outcome
from timegrain.core.result import Result
from timegrain.report import write_report
from timegrain.training.remarks import unlearned_sentences

GOLDEN = Path(__file__).parents[2] / "golden" / "v1"
HOSTILE = '<script>alert("x")</script> & $x_1$ --> 日本語 🎉'
LOADS = {"src", "srcset", "data", "action", "poster", "background"}


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Novelty(Result):
    kind: ClassVar[str] = "brand-new"

    def summary_lines(self):
        return [("answer", "forty-two")]


class Page(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words = [], [], []
        self._style = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        self._style = tag == "style"

    def handle_endtag(self, tag):
        self._style = False

    def handle_data(self, text):
        if not self._style:
            self.words.append(text)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))

    def values(self, name):
        return [v for n, v in self.attributes if n == name]

    @property
    def headings(self):
        return self.values("id")


def build(results, tmp_path, **options):
    path = write_report(results, tmp_path / "report.html", **options)
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def demo_text(demo, tmp_path_factory):
    return build(demo, tmp_path_factory.mktemp("demo"), title="timegrain demo")


@pytest.fixture(scope="module")
def odd(make):
    """Every field that may be missing is, and names are hostile."""
    nothing = {"order": None, "interval": None, "errors": (), "memory": None}
    exponent = {"amplitude_exponent": None, "amplitude_interval": None}
    reasons = {"order": "too few levels", "memory": "cannot be reached"}
    channels = tuple(f"{HOSTILE} {i}" for i in range(70))
    empty = {"continuity": None, "interval": None, "exponent": None, "nugget": None}
    flat = make.task("flat", outcome=Outcome.CONSTANT, worst_channel=None, horizon=1, **empty)
    blank = {"discontinuity": None, "low": None, "high": None}
    rows = tuple(dataclasses.replace(row, **blank) for row in flat.profile)
    return [
        make.task(HOSTILE, channels=channels, unit="s", notes=(HOSTILE,)),
        dataclasses.replace(flat, profile=rows),
        make.task("lines", values=(0.0,) * 6),
        make.model(HOSTILE, amplitudes=(1.0,), interval=None, **exponent),
        make.model("gru", outcome=Outcome.MEMORYLESS, reasons=reasons, **nothing, **exponent),
        make.run(HOSTILE, HOSTILE, low=None, high=None),
        make.curve(HOSTILE, HOSTILE, seed=None, plan=None),
        make.curve("gru", "steps", takes_tau=False, scores=make.curve().scores[3:]),
        make.baseline(HOSTILE, low=None, high=None),
    ]


@pytest.fixture(scope="module")
def odd_text(odd, tmp_path_factory):
    return build(odd, tmp_path_factory.mktemp("odd"))


@pytest.mark.parametrize("which", ["demo_text", "odd_text"])
def test_loads_nothing(which, request):
    text = request.getfixturevalue(which)
    page = Page(text)
    assert not {"script", "link", "iframe", "img", "object", "embed"} & set(page.tags)
    assert not LOADS & {name for name, _ in page.attributes}
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert all(value.startswith("#") for value in page.values("href"))
    assert all(inside.startswith("#") for inside in re.findall(r"url\(([^)]*)\)", text))
    before, cited = text.split('<section id="citing">')
    assert "@import" not in text and "http" not in before
    # addresses of what is cited are words, in no attribute
    assert not [value for _, value in Page(cited).attributes if "http" in str(value)]


@pytest.mark.parametrize("which", ["demo_text", "odd_text"])
def test_ids_are_unique_and_references_lead_somewhere(which, request):
    text = request.getfixturevalue(which)
    page = Page(text)
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    inside = re.findall(r"url\(#([^)]+)\)", text)
    references = [*inside, *(v[1:] for v in page.values("href")), *page.values("aria-describedby")]
    assert inside and set(references) <= set(ids)


@pytest.mark.parametrize("which", ["demo_text", "odd_text"])
def test_prints_no_missing_number(which, request):
    page = Page(request.getfixturevalue(which))
    words = f"{page.text} {' '.join(v for _, v in page.attributes if v)}"
    assert not re.search(r"\b(nan|NaN|inf|None|null|undefined)\b", words)


def test_missing_values_are_dashes_with_their_reason(odd_text):
    assert '<span title="too few levels">—</span>' in odd_text
    assert '<span title="cannot be reached">—</span>' in odd_text


def test_names_are_escaped(odd_text):
    assert "<script" not in odd_text
    assert "&lt;script&gt;alert" in odd_text
    assert HOSTILE in Page(odd_text).text


def test_title_is_escaped(make, tmp_path):
    text = build([make.baseline()], tmp_path, title="<b>bold</b>")
    assert "<b>bold" not in text and "<title>&lt;b&gt;bold&lt;/b&gt;</title>" in text


def test_same_results_give_the_same_bytes(demo, demo_text, tmp_path):
    assert build(demo, tmp_path, title="timegrain demo") == demo_text


def test_every_figure_is_named_described_and_captioned(demo_text):
    page = Page(demo_text)
    drawings = page.tags.count("svg")
    assert page.tags.count("figure") == page.tags.count("figcaption") == 4
    assert drawings == 2 * 4  # for wide and for narrow screens
    assert page.values("role").count("img") == page.tags.count("desc") == drawings
    assert "OSULeaf: D(2) = 0.000425" in page.text


def test_drawings_take_every_colour_from_the_page(demo_text):
    drawings = "".join(re.findall(r"<svg.*?</svg>", demo_text, re.DOTALL))
    assert "var(--c0)" in drawings and not re.search(r"#[0-9a-f]{6}\b", drawings)


def test_text_of_drawings_stays_text(demo_text):
    drawings = re.findall(r"<svg.*?</svg>", demo_text, re.DOTALL)
    assert all("stride k (every k-th sample is kept)" in d for d in drawings[:2])


SECTIONS = {
    "task": {"data"},
    "model": {"models"},
    "run": {"time", "scores"},
    "curve": {"rates"},
    "baseline": {"scores"},
    "verdict": set(),
}


@pytest.mark.parametrize(("kind", "expected"), SECTIONS.items())
def test_sections_follow_the_kinds(kind, expected, make, tmp_path):
    found = set(Page(build([getattr(make, kind)()], tmp_path)).headings)
    everything = set().union(*SECTIONS.values())
    assert everything & found == expected
    assert {"limits", "making", "citing"} <= found


def test_failed_checks_come_first_and_stand_out(tmp_path):
    result = check_model(lambda x: x.flip(0), d_input=2, quick=True, only=("batch", "determinism"))
    assert not result.passed
    text = build([result], tmp_path)
    assert "others" not in Page(text).headings
    verdicts = re.findall(r"<td>(FAILED|passed|not applicable)</td>", text)
    failed = len(result.failures)
    assert verdicts[:failed] == ["FAILED"] * failed
    assert "FAILED" not in verdicts[failed:]
    assert text.count('<tr class="failed">') == failed
    assert f"<b>{failed} failed</b>" in text


def test_demo_has_every_section(demo_text):
    found = Page(demo_text).headings
    order = [
        i for i in found if i in {"verdict", "others", "limits"} | set().union(*SECTIONS.values())
    ]
    assert order == ["verdict", "data", "models", "rates", "time", "scores", "limits"]


def test_verdict_says_whether_each_claim_holds(demo_text):
    text = Page(demo_text).text
    assert "Law of alignment: does not hold." in text
    assert "Rate transfer: holds." in text
    assert "Coarse stages first: cannot tell." in text


def test_table_holds_means_and_seeds(make, tmp_path):
    runs = [make.run(seed=s, score=score) for s, score in ((0, 0.70), (1, 0.80))]
    text = build([*runs, make.baseline(score=0.926)], tmp_path)
    assert "0.750" in text and "0.700, 0.800" in text and "0.926" in text


def test_unknown_kind_is_listed(make, tmp_path):
    strange = Novelty(name="strange", outcome=Outcome.MEASURED, provenance=make.provenance())
    page = Page(build([strange, make.baseline()], tmp_path))
    assert "others" in page.headings
    assert "strange" in page.text and "brand new" in page.text and "forty-two" in page.text


def test_notes_are_shown_once(make, tmp_path):
    curves = [make.curve(seed=s, notes=("Nothing was averaged.",)) for s in (0, 1)]
    assert build(curves, tmp_path).count("Nothing was averaged.") == 1


def test_notes_say_whom_they_are_about(make, tmp_path):
    models = [
        make.model("s4d", notes=("Shared.", "Only the first.")),
        make.model("my:net", scope="model", notes=("Shared.",)),
    ]
    page = build(models, tmp_path)
    assert "<li>Shared.</li>" in page and "<li>S4D: Only the first.</li>" in page
    assert "<li>Only the first.</li>" in build(models[:1], tmp_path)
    sets = [make.task("a", notes=("Odd rows.",)), make.task("b")]
    assert "<li>a: Odd rows.</li>" in build(sets, tmp_path)
    runs = [make.run(notes=("Slow.",)), make.run("s6")]
    assert "<li>S4D on OSULeaf: Slow.</li>" in build(runs, tmp_path)


def test_notes_of_trainings_name_stages_and_seed_where_these_differ(make, tmp_path):
    bad = {"low": 0.1, "high": 0.3}
    note = unlearned_sentences(make.run(**bad))
    assert note
    runs = [
        make.run(seed=0, notes=("All.", *note), **bad),
        make.run(seed=1, notes=("All.", "One.")),
        make.run(seed=0, stages="4:2,1:1", notes=("All.", *note), **bad),
        make.run("gru", notes=("All.", "Own.")),
    ]
    page = build(runs, tmp_path)
    assert "<li>All.</li>" in page
    assert "<li>S4D on OSULeaf, full, seed 1: One.</li>" in page
    assert "<li>GRU on OSULeaf: Own.</li>" in page
    # one sentence on all of them in the place of one each
    assert note[0] not in page and page.count("Not surely better") == 1
    assert "part: S4D on OSULeaf, full, seed 0; S4D on OSULeaf, 4:2 1:1, seed 0.</li>" in page
    assert note[0] in build(runs[:1], tmp_path)
    assert "part: all trainings.</li>" in build([runs[0], runs[2]], tmp_path)


def test_a_note_that_stands_above_is_not_said_again(make, tmp_path):
    advice = read_result((GOLDEN / "plan-advice.json").read_text())
    said = ("Rows were read.", f"plan: {advice.sentences[0]}", "plan: elsewhere")
    advice = dataclasses.replace(advice, notes=said[:1])
    page = build([advice, make.run(task=advice.name, notes=said)], tmp_path)
    assert page.count("Rows were read.") == page.count(f">{advice.sentences[0]}<") == 1
    assert "plan: " not in page
    assert "plan: elsewhere" in build([advice, make.run(task="another", notes=said)], tmp_path)


def test_titles_say_what_the_table_says(make, tmp_path):
    unsure = {"low": 0.1, "high": 0.3}
    runs = [
        make.run(layer, stages=stages, **unsure)
        for layer in ("s4d", "s6")
        for stages in ("1:15", "8:6,1:1")
    ]
    text = build(runs, tmp_path)
    assert "Stages beside full resolution, 2 comparisons: 2 cannot tell" in text
    curve = make.curve()
    rows = tuple(row for row in curve.scores if row.stride != 2)
    text = build([dataclasses.replace(curve, scores=rows)], tmp_path)
    assert "it is given every 4th sample" in text
    assert "every 2nd or 4th sample" in build([curve], tmp_path)


def test_two_settings_of_a_layer_are_told_apart_in_notes(make, tmp_path):
    models = [
        make.model("s6", notes=("Default.",)),
        make.model("s6", options={"discretization": "zoh"}, notes=()),
    ]
    assert "<li>S6: Default.</li>" in build(models, tmp_path)
    asked = [models[0], make.model("s6", options={"discretization": "zoh"}, notes=("Held.",))]
    assert "<li>S6 (zoh): Held.</li>" in build(asked, tmp_path)


def test_limits_are_about_what_is_on_the_page(make, tmp_path):
    own = make.model("my:net", scope="model", notes=())
    text = Page(build([own], tmp_path)).text
    assert "random initialisations" not in text and "skip term" not in text
    assert "A model that was passed is measured as it is" in text
    text = Page(build([make.model()], tmp_path)).text
    assert "random initialisations" in text and "and without their skip term" in text
    assert "A model that was passed" not in text
    text = Page(build([make.model(scope="network")], tmp_path)).text
    assert "random initialisations" in text and "and without their skip term" not in text


def test_a_model_whose_memory_was_not_seen_promises_nothing(make, tmp_path):
    unseen = make.model("my:net", memory=None, reasons={"memory": "it pools"})
    text = build([unseen], tmp_path)
    assert "<small>memory not seen</small>" in text
    assert "memory was not seen, so this does not say that the model survives" in text
    assert "a model that counts samples instead of time converges too" in text
    assert "memory not seen" not in build([make.model()], tmp_path)


def test_an_untold_model_is_not_called_told(make, tmp_path):
    asked = make.model(protocol="native", reasons={"protocol": "not wanted"})
    assert asked.takes_tau
    page = build([asked], tmp_path)
    assert '<span title="not wanted">no</span>' in page
    assert ">yes<" not in page


def test_memory_has_one_unit(make, tmp_path):
    assert "9 → 9.6 time units" in Page(build([make.model()], tmp_path)).text
    assert "9 → 9.6 s" in Page(build([make.model(unit="s")], tmp_path)).text


def test_the_discretisation_of_a_layer_is_visible(make, tmp_path):
    made = dataclasses.replace(make.provenance(), timegrain=__version__)
    page = build([make.model("s6", provenance=made)], tmp_path)
    assert "<small>euler_b (its default)</small>" in page
    zoh = make.model("s6", provenance=made, options={"discretization": "zoh"})
    page = build([zoh], tmp_path)
    assert "S6 (zoh)" in page and "its default" not in page
    assert "its default" not in build([make.model("gru", provenance=made)], tmp_path)


def test_a_label_is_spoken_of_only_where_there_is_one(make, tmp_path):
    text = Page(build([make.task("recording", unit="s")], tmp_path)).text
    assert "label" not in text
    labelled = Page(build([make.task("OSULeaf"), make.baseline("OSULeaf")], tmp_path)).text
    assert "samples; the label may need more of them" in labelled
    other = Page(build([make.task("recording"), make.baseline("OSULeaf")], tmp_path)).text
    assert "the label may need more of them" not in other


def test_the_channel_that_sets_a_horizon_is_named_at_the_top(make, tmp_path):
    text = Page(build([make.task("motion", channels=("x", "y"))], tmp_path)).text
    assert "Horizon (motion) 16 samples, set by y" in text


@pytest.mark.parametrize("stages", ["1:15", "2:4,1:4"])
def test_a_single_plan_asks_nothing(stages, make, tmp_path):
    text = Page(build([make.run(stages=stages)], tmp_path)).text
    assert "Score over training time" in text and "Do stages pay?" not in text
    both = Page(build([make.run(), make.run(stages="2:4,1:4")], tmp_path)).text
    assert "Do stages pay?" in both


def test_different_windows_are_pointed_out(make, tmp_path):
    text = Page(build([make.task("a"), make.task("b", window=None)], tmp_path)).text
    assert "cannot be compared" in text
    assert "cannot be compared" not in Page(build([make.task("a"), make.task("b")], tmp_path)).text


def test_no_absolute_path_is_given_away(make, tmp_path):
    made = make.provenance(data="/home/someone/private/run 1.csv", more=["C:\\Users\\me\\x.npy"])
    text = build([make.task("/home/someone/private/run 1.csv", provenance=made)], tmp_path)
    assert "run 1.csv" in text and "x.npy" in text
    assert "someone" not in text and "Users" not in text


def test_provenance_and_citation(demo_text):
    text = Page(demo_text).text
    assert "2.13.0" in text and "Linux x86_64" in text and "2026-05-01T12:00:00Z" in text
    assert "arXiv:2605.08539" in text


def test_negative_scores_are_drawn(make, tmp_path):
    worse = {"metric": "r2", "trivial_score": 0.0}
    text = build([make.curve(told=(0.4, -1.2, -3.0), **worse)], tmp_path)
    assert "0.40 → −3.00" in text and "test R²" in text


def test_nothing_to_report(tmp_path):
    with pytest.raises(ConfigError, match="needs results"):
        write_report([], tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_directory_that_does_not_exist(make, tmp_path):
    with pytest.raises(ResultError, match="cannot write the report"):
        write_report([make.baseline()], tmp_path / "absent" / "report.html")
    assert not list(tmp_path.iterdir())


def test_failure_leaves_the_old_page(make, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    broken = make.model(errors=make.model().errors[:1], amplitude_exponent=math.nan)
    object.__setattr__(broken, "errors", None)
    with pytest.raises(TypeError):
        write_report([broken], path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_advice_is_drawn_with_its_limit_and_what_it_cannot_tell(make, tmp_path):
    stored = Path(__file__).parents[2] / "golden" / "v1"
    results = [
        read_result((stored / f"{k}.json").read_text()) for k in ("advice", "label-retention")
    ]
    text = write_report(results, tmp_path / "page.html", title="x").read_text()
    assert "every 2nd sample keeps the label" in text
    assert "limit 0.95" in text
    assert "cannot tell whether faster content folded" in text
    assert "What does a stride cost the label?" in text
