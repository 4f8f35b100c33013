"""Citations as text and as BibTeX."""

import re
from pathlib import Path

import pytest

from timegrain.core.citing import Reference, formatted, software
from timegrain.core.errors import ConfigError
from timegrain.core.kinds import result_kinds
from timegrain.core.references import REFERENCES
from timegrain.core.result import read_result

ROOT = Path(__file__).parents[3]
STORED = sorted((ROOT / "tests" / "golden" / "v1").glob("*.json"))


def entries(text):
    """The entries of a .bib file by key, read as BibTeX does: by counting braces."""
    found, at = {}, 0
    while (at := text.find("@", at)) >= 0:
        kind, rest = re.match(r"@(\w+)\{", text[at:])[1], text.index("{", at)
        depth, end = 1, rest + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        key, _, body = text[rest + 1 : end - 1].partition(",")
        assert key not in found
        found[key] = (kind, fields(body))
        at = end
    return found


def fields(body):
    found, at = {}, 0
    while match := re.compile(r"\s*(\w+) = \{").match(body, at):
        depth, end = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(body[end], 0)
            end += 1
        assert match[1] not in found
        found[match[1]] = body[match.end() : end - 1]
        at = end + (body[end : end + 1] == ",")
    assert not body[at:].strip()
    return found


def test_every_source_is_an_entry_with_what_a_reader_needs():
    text = formatted(list(REFERENCES.values()), "bibtex")
    assert text.isascii()
    found = entries(text)
    assert list(found) == list(REFERENCES)
    for key, (kind, told) in found.items():
        assert {"author", "title", "year", "url"} <= set(told), key
        assert kind == "misc" or told["journal" if kind == "article" else "booktitle"], key
        assert told["url"] == REFERENCES[key].url and told["url"].startswith("https://"), key
        assert re.search(r"(?<!\\)[&%$#_]", told["title"]) is None, key


def test_a_line_has_authors_year_title_place_and_address():
    assert REFERENCES["celik2008procedure"].text() == (
        "Celik, I. B., Ghia, U., Roache, P. J., Freitas, C. J., Coleman, H., Raad, P. E. (2008). "
        "Procedure for Estimation and Reporting of Uncertainty Due to Discretization in CFD "
        "Applications. Journal of Fluids Engineering, 130(7), 078001. "
        "https://doi.org/10.1115/1.2960953"
    )


def test_letters_that_bibtex_reads_otherwise_are_escaped():
    odd = Reference(
        key="a",
        kind="article",
        authors=(("Ré", "C."), ("Petitjean", "François")),
        title="50% of A & B_1",
        year=2001,
        venue="R&D",
    )
    told = entries(odd.bibtex())["a"][1]
    assert told["author"].startswith(r"R{\'e}, C. and Petitjean, Fran{\c{c}}o")
    assert (told["title"], told["journal"]) == (r"{50\% of A \& B\_1}", r"R\&D")


def test_the_package_is_cited_as_its_citation_file_has_it():
    told = (ROOT / "CITATION.cff").read_text()
    own = software("1.2.3", "2026-05-01T12:00:00Z")
    assert f'title: "{own.title}"' in told and f'name: "{own.authors[0][0]}"' in told
    paper = REFERENCES["yu2026continuity"]
    assert f'title: "{paper.title}"' in told and f'"arXiv:{paper.arxiv}"' in told
    for family, given in paper.authors:
        assert f"family-names: {family}\n        given-names: {given}" in told
    assert "version 1.2.3" in own.text() and "(2026)" in own.text()
    assert entries(own.bibtex())["timegrain"][1]["author"] == "{The timegrain developers}"


@pytest.mark.parametrize("path", STORED, ids=lambda p: p.stem)
def test_a_result_cites_the_package_first_and_every_source_once(path):
    result = read_result(path.read_text(encoding="utf-8"))
    found = entries(result.cite("bibtex"))
    assert next(iter(found)) == "timegrain" and len(found) == 1 + len(set(result.sources()))
    lines = result.cite().splitlines()
    assert lines[0] == result.references()[0].text()
    assert [r.text() for r in dict.fromkeys(result.references())] == lines[: len(found)]


def test_all_kinds_of_results_were_asked():
    assert {read_result(p.read_text(encoding="utf-8")).kind for p in STORED} >= {
        kind.name for kind in result_kinds
    }


def test_orders_cite_the_grid_convergence_index():
    for kind in ("model-continuity", "localisation", "remedy"):
        (path,) = (p for p in STORED if p.stem == kind)
        told = read_result(path.read_text(encoding="utf-8")).cite()
        assert "10.1115/1.2910291" in told and "10.1115/1.2960953" in told


def test_another_style_is_refused():
    with pytest.raises(ConfigError, match="'text' or 'bibtex'"):
        formatted([], "apa")
