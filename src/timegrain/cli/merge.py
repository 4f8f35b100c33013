"""`timegrain merge`: parts of a measurement put together."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from timegrain.cli.flags import CURVE_FIGURES, CurveFailUnder, Json, OutputDirectory


def merge(
    *parts: Annotated[Path, Parameter(help="Directories that timegrain data --shard wrote.")],
    json: Json = False,
    output: OutputDirectory = None,
    fail_under: CurveFailUnder = None,
) -> int:
    """Put the parts of a measurement together.

    Of several files that is, to the last bit, what timegrain data says of the same pattern in one
    go. Of one file it is what it says of the file to rounding, without the spectrum; the interval
    of a single series is from other blocks, which a note says.
    """
    from timegrain.cli import options as words
    from timegrain.cli.emit import emit, judge
    from timegrain.continuity.stream.files import merge_parts, part_result
    from timegrain.continuity.stream.part import read_part
    from timegrain.core.output import check_writable

    limits = words.thresholds(fail_under, CURVE_FIGURES)
    if output is not None:
        check_writable(output)
    result = part_result(merge_parts([read_part(part) for part in parts]))
    emit([result], as_json=json, output=output, title=f"Task continuity: {result.name}")
    return judge([result], limits)
