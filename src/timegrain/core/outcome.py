"""How a measurement ended, with what it means and what to do about it."""

from enum import Enum


class Outcome(Enum):
    """The end of a measurement; `.message` says what happened, `.cure` what to do."""

    MEASURED = ("measured", "nothing to do")
    ROUGH = (
        "neighbouring samples do not predict each other (D(2) > .3)",
        "if these are not symbols, record faster or look for noise; subsample only on the label's "
        "evidence",
    )
    NOISE_FLOOR = (
        "the profile does not grow with the stride: noise or quantisation hides the signal's law",
        "read the nugget as the noise share; average or filter before asking for an exponent",
    )
    CONSTANT = ("no channel varies", "check the units and the columns that were read")
    TOO_FEW_LEVELS = (
        "fewer levels than the law needs",
        "add levels or strides, or use longer sequences",
    )
    UNRESPONSIVE = (
        "the output is the same whatever the input",
        "look for an input that is not connected, or weights that are all zero",
    )
    MEMORYLESS = (
        "the output at a time depends on the input at that time alone",
        "compare with a layer that keeps a state",
    )
    MEMORY_COLLAPSES = (
        "the memory, in time units, shrinks as the grid is refined",
        "tell the model its step (tau), or retrain at the rate you will use",
    )
    FLOAT_FLOOR = (
        "differences between grids are at rounding level",
        "use float64, or fewer levels",
    )
    OSCILLATES = (
        "successive differences point in opposite directions",
        "use a longer ladder and look at the errors level by level",
    )
    DIVERGES = (
        "differences grow as the grid is refined",
        "look for a layer that ignores tau or sums over samples without a weight",
    )
    STALLS = (
        "differences stop shrinking as the grid is refined",
        "look for a part that depends on the sample index instead of time",
    )
    PRE_ASYMPTOTIC = (
        "the order has not settled on this ladder",
        "add levels, or lower the amplitude",
    )
    CONVERGES = ("outputs converge as the grid is refined", "nothing to do")
    CANNOT_TELL = (
        "the probe's skill is too low to say what a stride costs",
        "add labelled cases or a stronger probe",
    )
    CERTIFIED = ("the error has a proved bound", "nothing to do")
    CONDITIONAL = (
        "the error has a bound if the estimated moduli of the signal are right",
        "declare a bound of the signal's slope, and of its curvature, that you can prove",
    )
    KEEPS_CONTRACT = ("every check that applies passed", "nothing to do")
    BREAKS_CONTRACT = ("a check failed", "do what stands beside each check that failed")
    SIGNAL_TOO_SHORT = (
        "the signal is shorter than the filter needs",
        "use a longer signal or another decimator",
    )

    @property
    def message(self) -> str:
        """What happened, in one clause."""
        return self.value[0]

    @property
    def cure(self) -> str:
        """What to do about it, in one clause."""
        return self.value[1]
