"""The presets by name."""

from timegrain.core.registry import Registry

presets = Registry("preset")

presets.register(
    "paper-continuity",
    "timegrain.study.presets.paper_continuity:PAPER_CONTINUITY",
    "random S4 and S6 systems at eleven amplitudes on ever finer grids",
)
presets.register(
    "paper-refinement",
    "timegrain.study.presets.paper_refinement:PAPER_REFINEMENT",
    "networks trained at one rate to tell the parameters of systems, on finer and coarser grids",
)
