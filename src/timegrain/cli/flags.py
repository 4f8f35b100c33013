"""Flags that several commands share, each declared once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

Names = Annotated[str, Parameter(help="A name, a path, module:function, or a comma list of them.")]
ModelNames = Annotated[
    str,
    Parameter(
        help="A registered name, module:object, or a folder that transformers wrote, or a comma "
        "list of them."
    ),
]
Json = Annotated[
    bool, Parameter(name="--json", negative="", help="Print JSON on stdout; logs go to stderr.")
]
OutputDirectory = Annotated[
    Path | None,
    Parameter(help="Directory for result.json, rows.parquet, report.html and parts/."),
]
Seed = Annotated[
    int,
    Parameter(help="Every random draw comes from this number.", validator=Number(gte=0, lt=2**32)),
]
DryRun = Annotated[
    bool, Parameter(negative="", help="Read and check everything, compute and write nothing.")
]
CURVE_FIGURES = {
    "horizon": "samples",
    "horizon_time": "in the unit of the step",
    "continuity": "1 - D(2)",
}
ADVICE_FIGURES = {
    "stride": "the advised one",
    "score": "at the recorded rate",
    "retention": "of the advised stride",
    "horizon": "samples",
}
TRANSFER_FIGURES = {
    "stride": "of the cheapest rate within the tolerance",
    "score": "at the trained rate",
}
MODEL_FIGURES = {"order": "order of convergence"}


def _limits_help(figures: Mapping[str, str], example: str) -> str:
    listed = ", ".join(f"{name} ({meaning})" for name, meaning in figures.items())
    return f"Exit with 1 when a figure is lower, such as {example}: {listed}."


CurveFailUnder = Annotated[str | None, Parameter(help=_limits_help(CURVE_FIGURES, "horizon=4"))]
AdviceFailUnder = Annotated[str | None, Parameter(help=_limits_help(ADVICE_FIGURES, "stride=4"))]
ModelFailUnder = Annotated[str | None, Parameter(help=_limits_help(MODEL_FIGURES, "order=0.9"))]
TransferFailUnder = Annotated[
    str | None, Parameter(help=_limits_help(TRANSFER_FIGURES, "stride=2"))
]
