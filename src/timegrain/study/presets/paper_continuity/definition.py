"""The preset itself."""

from timegrain.study.presets.paper_continuity.measure import measure
from timegrain.study.presets.paper_continuity.settings import PaperContinuitySettings
from timegrain.study.presets.preset import Preset

PAPER_CONTINUITY = Preset(
    name="paper-continuity",
    description=(
        "Random linear (S4) and selective (S6) systems of 8 states are given the same signals on "
        "ever finer grids, at many amplitudes, by two discretisations and in two norms. The result "
        "tells the order of convergence, and whether its constant depends on the amplitude."
    ),
    settings=PaperContinuitySettings,
    run=measure,
)
