import json
from dataclasses import dataclass
from typing import ClassVar

import pytest

from timegrain.core import kinds
from timegrain.core.errors import ResultError, UnknownNameError
from timegrain.core.outcome import Outcome
from timegrain.core.output import read_output, slug, write_output
from timegrain.core.provenance import Provenance
from timegrain.core.registry import Registry
from timegrain.core.result import Result, read_result


@dataclass(frozen=True, kw_only=True, repr=False)
class Sample(Result):
    kind: ClassVar[str] = "sample-result"
    schema_version: ClassVar[int] = 2
    value: float | None

    def rows(self):
        return [{"name": self.name, "value": self.value}]

    def summary_lines(self):
        return [("value", str(self.value))]


@pytest.fixture(autouse=True)
def known_kind(monkeypatch):
    registry = Registry("kind of result")
    registry.register("sample-result", f"{__name__}:Sample", "for tests")
    monkeypatch.setattr(registry, "load", lambda name: registry.entry(name) and Sample)
    monkeypatch.setattr("timegrain.core.result.result_kinds", registry)
    return kinds


def sample(name="a", value: float | None = 0.5) -> Sample:
    return Sample(
        name=name,
        outcome=Outcome.MEASURED,
        provenance=Provenance.collect(seed=3, parameters={"window": 128}),
        reasons={} if value is not None else {"value": "constant"},
        value=value,
    )


def test_json_round_trip_keeps_everything():
    result = sample()
    assert read_result(result.to_json()) == result


def test_json_names_schema_version_outcome_and_no_path():
    data = sample(value=float("nan")).to_dict()
    assert (data["schema"], data["schema_version"], data["outcome"]) == (
        "sample-result",
        2,
        "MEASURED",
    )
    assert data["value"] is None
    assert data["provenance"]["seed"] == 3
    assert data["provenance"]["parameters"] == {"window": 128}
    assert "/" not in json.dumps(data["provenance"])


@pytest.mark.parametrize("version", [0, 3, None, "2"])
def test_other_schema_versions_are_refused(version):
    data = {**sample().to_dict(), "schema_version": version}
    with pytest.raises(ResultError, match="schema version"):
        Sample.from_dict(data)


def test_foreign_text_is_refused():
    with pytest.raises(ResultError, match="not JSON"):
        read_result('{"schema": ')
    with pytest.raises(ResultError, match="not a timegrain result"):
        read_result("[1]")
    with pytest.raises(UnknownNameError):
        read_result('{"schema": "sample"}')


def test_repr_is_a_titled_table_and_html_is_escaped():
    assert repr(sample()) == "sample result: a\n  value  0.5"
    page = sample(name="<script>")._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_arrow_table_carries_the_schema():
    table = sample().to_arrow()
    assert table.to_pylist() == [{"name": "a", "value": 0.5}]
    assert table.schema.metadata[b"schema"] == b"sample-result/2"


def test_output_directory_round_trip_and_stale_parts_go(tmp_path):
    target = tmp_path / "out"
    write_output(target, sample(), parts=[("x/1", sample("b")), ("y", sample("c"))])
    stored = read_output(target)
    assert [r.name for r in stored.results] == ["a", "b", "c"]
    write_output(target, sample(), parts=[("y", sample("c"))])
    assert [r.name for r in read_output(target).results] == ["a", "c"]
    assert not list(target.rglob(".*"))


def test_output_errors_name_the_directory(tmp_path):
    with pytest.raises(ResultError, match=r"result\.json"):
        read_output(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ResultError, match="cannot write"):
        write_output(tmp_path / "file", sample())


def test_slug_leaves_no_separator():
    assert slug("../a b/ü") == "-a-b-ü"
