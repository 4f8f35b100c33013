"""The preset itself."""

from timegrain.study.presets.paper_refinement.measure import measure
from timegrain.study.presets.paper_refinement.settings import PaperRefinementSettings
from timegrain.study.presets.preset import Preset

PAPER_REFINEMENT = Preset(
    name="paper-refinement",
    description=(
        "S4D and S6 are trained to tell the parameters of oscillators and of a random process from "
        "one trajectory at tau = 1, and then given the same trajectories on grids up to four times "
        "finer and coarser, told so and not told. The result tells what each loses at which rate."
    ),
    settings=PaperRefinementSettings,
    run=measure,
    resumes=True,
)
