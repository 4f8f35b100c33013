"""`timegrain ls` names all that other commands take: signals, systems and presets, too."""

import json

import pytest

from timegrain.cli.main import run
from timegrain.continuity.model.drawn import system_names
from timegrain.data.signals import signal_families
from timegrain.study.presets.catalogue import presets


def listed(capsys, *words):
    assert run(["ls", *words, "--json"]) == 0
    return [(row["name"], row["kind"]) for row in json.loads(capsys.readouterr().out)]


def test_signals_are_families_and_systems(capsys):
    found = listed(capsys, "signals")
    assert found == [(n, "signal") for n in signal_families.names()] + [
        (n, "system") for n in system_names()
    ]


def test_presets_are_those_of_study(capsys):
    assert listed(capsys, "presets") == [(n, "preset") for n in presets.names()]


def test_the_overview_has_all_of_them(capsys):
    found = listed(capsys)
    for kind in ("datasets", "signals", "presets"):
        assert set(listed(capsys, kind)) <= set(found)
    assert {kind for _, kind in found} == {"dataset", "model", "signal", "system", "preset"}


@pytest.mark.parametrize("kind", ["signals", "presets"])
def test_lines_are_as_wide_as_the_terminal(kind, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert run(["ls", kind]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60
