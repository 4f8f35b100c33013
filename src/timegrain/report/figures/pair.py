"""The picture that stands for the whole: data on the left, networks on the right."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.core.errors import ConfigError
from timegrain.report.figures.discontinuity import curve_label, draw_profiles
from timegrain.report.figures.frame import Panel, frame, name_axes, text_width, widen
from timegrain.report.figures.labels import label_ends
from timegrain.report.figures.rates import axis_names, draw_rates, panels_of, telling_label
from timegrain.report.figures.style import short, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from timegrain.continuity.task.result import TaskContinuity
    from timegrain.training.rate_transfer import TransferCurve

WIDTH = 720.0


def headline(
    task_results: "Sequence[TaskContinuity]", transfer_curves: "Sequence[TransferCurve]"
) -> "Figure":
    """Draw two panels: D(k) with the horizons, and one task's networks at other sampling rates.

    Args:
        task_results: One a dataset, at least one.
        transfer_curves: Networks; those on the task of the first one are drawn.

    Raises:
        ConfigError: If either is empty.

    Note:
        The figure can be saved as PNG or SVG by its own `savefig`.
    """
    if not task_results or not transfer_curves:
        raise ConfigError(
            "the headline needs datasets and networks",
            got=f"{len(task_results)} datasets and {len(transfer_curves)} transfer curves",
            expected="at least one of each",
        )
    with styled():
        names = [short(curve_label(r), 22) for r in task_results]
        panel = Panel(height=225.0, right=text_width(names) + 14.0)
        figure, (left, right) = frame(2, panel, width=WIDTH)
        draw_profiles(left, task_results, names)
        left.set_title("Data: how coarse may the samples be?", loc="left", pad=19.0)
        _, curves = panels_of(transfer_curves)[0]
        widen(
            right, panel.right - text_width([telling_label(c.layer, False) for c in curves]) - 14.0
        )
        labels = draw_rates(right, curves)
        panel_title = f"Networks at other rates, {short(curves[0].task, 20)}"
        name_axes(right, panel=panel_title, **axis_names(curves))
        label_ends(right, labels)
        return figure
