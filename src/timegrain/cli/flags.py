"""Flags that several commands share, each declared once."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

Names = Annotated[str, Parameter(help="A name, a path, module:function, or a comma list of them.")]
ModelNames = Annotated[
    str,
    Parameter(help="A registered name or module:object, or a comma list of them."),
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
FailUnder = Annotated[
    str | None, Parameter(help="Exit with 1 when a figure is lower, such as horizon=4.")
]
ModelFailUnder = Annotated[
    str | None, Parameter(help="Exit with 1 when a figure is lower, such as order=0.9.")
]
