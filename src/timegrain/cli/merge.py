"""`timegrain merge`: parts of a measurement put together."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from timegrain.cli.flags import FailUnder, Json, OutputDirectory

_FIGURES = {"horizon": "samples", "horizon_time": "time", "continuity": "1 - D(2)"}


def merge(
    *parts: Annotated[Path, Parameter(help="Directories that timegrain data --shard wrote.")],
    json: Json = False,
    output: OutputDirectory = None,
    fail_under: FailUnder = None,
) -> int:
    """Put the parts of a measurement together: the same to the last bit as in one go."""
    from timegrain.cli import options as words
    from timegrain.cli.emit import emit, judge
    from timegrain.continuity.stream.files import merge_parts, part_result
    from timegrain.continuity.stream.part import read_part
    from timegrain.core.output import check_writable

    limits = words.thresholds(fail_under, _FIGURES)
    if output is not None:
        check_writable(output)
    result = part_result(merge_parts([read_part(part) for part in parts]))
    emit([result], as_json=json, output=output, title=f"Task continuity: {result.name}")
    return judge([result], limits)
