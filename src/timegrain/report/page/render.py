"""The page as text: sections by kind, figures inlined, everything else escaped."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import jinja2
from markupsafe import Markup

from timegrain.core.result import Result
from timegrain.report.figures.frame import NARROW, WIDE
from timegrain.report.figures.style import DARK, GRID, INK, MUTED, PAPER
from timegrain.report.page.advising import advice_section, retention_section
from timegrain.report.page.certifying import certificate_section
from timegrain.report.page.checking import check_highlights, check_section
from timegrain.report.page.curing import curing_section
from timegrain.report.page.datasets import dataset_section
from timegrain.report.page.deploying import deployment_section
from timegrain.report.page.dials import dose_section, window_section
from timegrain.report.page.finer import finer_highlights, finer_section
from timegrain.report.page.highlights import (
    Highlight,
    dataset_highlights,
    model_highlights,
    pace_highlights,
    transfer_highlights,
)
from timegrain.report.page.limits import limits, tasks_of
from timegrain.report.page.locating import locating_section
from timegrain.report.page.making import bibliography, citations, kind_name, recipe, versions
from timegrain.report.page.models import model_section
from timegrain.report.page.parts import Plate, Section
from timegrain.report.page.planning import plan_section
from timegrain.report.page.selecting import selective_section
from timegrain.report.page.svg import inline_svg
from timegrain.report.page.systems import system_highlights, system_section
from timegrain.report.page.training import comparison_section, pace_section, transfer_section

_VARIABLES = {
    INK: "ink",
    MUTED: "muted",
    GRID: "grid",
    PAPER: "paper",
    **{
        colour: f"c{i}"
        for i, colour in enumerate([c for c in DARK if c not in (INK, MUTED, GRID, PAPER)])
    },
}
_CHECKS = ("model-check", "source-check")
_KINDS = (
    "verdict",
    "advice",
    "label-retention",
    "plan-advice",
    "task-continuity",
    "window-profile",
    "dose-response",
    "paper-continuity",
    "paper-refinement",
    "model-continuity",
    "localisation",
    "selectivity",
    "remedy",
    "certificate",
    "training-run",
    "transfer-curve",
    "rate-transfer",
    "baseline-score",
    *_CHECKS,
)
_QUESTION = "Can I sample slower, train cheaper, and will my model survive another sampling rate?"
_CHECKED = "Does it do what its arguments and its description say?"


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A figure as it stands in the page, for wide and for narrow screens.

    Args:
        title: What is seen.
        caption: How to read it.
        wide: SVG.
        narrow: SVG.
    """

    title: str
    caption: str
    wide: Markup
    narrow: Markup


def render(results: Sequence[Result], *, title: str) -> str:
    """Return the page.

    Args:
        results: At least one.
        title: Heading of the page.
    """
    by_kind = _by_kind(results)
    sections = _sections(by_kind)
    drawn = {s.key: [_draw(p, f"{s.key}{i}") for i, p in enumerate(s.plates)] for s in sections}
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("timegrain.report.page", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["upper_first"] = lambda text: text[:1].upper() + text[1:]
    return environment.get_template("page.html.j2").render(
        title=title,
        question=_CHECKED if all(r.kind in _CHECKS for r in results) else _QUESTION,
        light={name: colour for colour, name in _VARIABLES.items()},
        dark={name: DARK[colour] for colour, name in _VARIABLES.items()},
        verdicts=by_kind["verdict"],
        highlights=_highlights(by_kind),
        sections=sections,
        drawn=drawn,
        others=[
            (kind_name(kind), r) for kind in by_kind if kind not in _KINDS for r in by_kind[kind]
        ],
        limits=limits(by_kind),
        versions=versions(results),
        recipes=[recipe(r) for r in results],
        citations=citations(results),
        bibliography=bibliography(results),
    )


def sections_of(results: Sequence[Result]) -> list[Section]:
    """Return the sections that a page of these results has."""
    return _sections(_by_kind(results))


def _by_kind(results: Sequence[Result]) -> dict[str, list[Any]]:
    by_kind: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
    for result in results:
        by_kind.setdefault(result.kind, []).append(result)
    return by_kind


def _sections(by_kind: dict[str, list[Any]]) -> list[Section]:
    runs, baselines = by_kind["training-run"], by_kind["baseline-score"]
    sections = []
    checks = [r for kind in _CHECKS for r in by_kind[kind]]
    if checks:
        sections.append(check_section(checks))
    if by_kind["advice"]:
        sections.append(advice_section(by_kind["advice"]))
    if by_kind["label-retention"]:
        sections.append(retention_section(by_kind["label-retention"]))
    if by_kind["plan-advice"]:
        sections.append(plan_section(by_kind["plan-advice"]))
    if by_kind["task-continuity"]:
        sections.append(
            dataset_section(by_kind["task-continuity"], labelled=bool(tasks_of(by_kind)))
        )
    if by_kind["window-profile"]:
        sections.append(window_section(by_kind["window-profile"]))
    if by_kind["dose-response"]:
        sections.append(dose_section(by_kind["dose-response"]))
    if by_kind["model-continuity"]:
        sections.append(model_section(by_kind["model-continuity"]))
    if by_kind["localisation"]:
        sections.append(locating_section(by_kind["localisation"]))
    if by_kind["selectivity"]:
        sections.append(selective_section(by_kind["selectivity"]))
    if by_kind["remedy"]:
        sections.append(curing_section(by_kind["remedy"]))
    if by_kind["certificate"]:
        sections.append(certificate_section(by_kind["certificate"]))
    if by_kind["paper-continuity"]:
        sections.append(system_section(by_kind["paper-continuity"]))
    if by_kind["paper-refinement"]:
        sections.append(finer_section(by_kind["paper-refinement"]))
    curves = [c for c in by_kind["transfer-curve"] if any(row.stride > 1 for row in c.scores)]
    if curves:
        sections.append(transfer_section(curves))
    if by_kind["rate-transfer"]:
        sections.append(deployment_section(by_kind["rate-transfer"]))
    trained = [r for r in runs if r.history]
    if trained:
        planned = {advice.name for advice in by_kind["plan-advice"]}
        sections.append(pace_section(trained, planned=planned))
    if runs or baselines:
        sections.append(comparison_section(runs, baselines))
    return _without_repetition(sections)


def _without_repetition(sections: list[Section]) -> list[Section]:
    """Return the sections with each note where it stands first."""
    seen: set[str] = set()
    kept = []
    for section in sections:
        notes = tuple(note for note in section.notes if note not in seen)
        seen.update(notes)
        kept.append(replace(section, notes=notes))
    return kept


def _highlights(by_kind: dict[str, list[Any]]) -> list[Highlight]:
    return [
        *check_highlights([r for kind in _CHECKS for r in by_kind[kind]]),
        *dataset_highlights(by_kind["task-continuity"], tasks=tasks_of(by_kind)),
        *transfer_highlights(by_kind["transfer-curve"]),
        *pace_highlights(by_kind["training-run"]),
        *model_highlights(by_kind["model-continuity"]),
        *system_highlights(by_kind["paper-continuity"]),
        *finer_highlights(by_kind["paper-refinement"]),
    ]


def _draw(plate: Plate, prefix: str) -> Drawn:
    wide, narrow = (
        inline_svg(
            plate.draw(width),
            prefix=f"{prefix}{size}-",
            title=plate.words.title,
            description=plate.words.description,
            colours=_VARIABLES,
        )
        for size, width in (("w", WIDE), ("n", NARROW))
    )
    return Drawn(title=plate.words.title, caption=plate.words.caption, wide=wide, narrow=narrow)
