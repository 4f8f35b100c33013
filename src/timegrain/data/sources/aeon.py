"""Sets of the UCR and UEA archives that aeon carries."""

from functools import partial

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.card import DatasetCard
from timegrain.data.dataset import Dataset
from timegrain.data.readers.ts import labels_of, parse_ts
from timegrain.data.sources.package import locate

UCR = "H. A. Dau et al., The UCR time series archive, IEEE/CAA J. Autom. Sinica 6 (2019) 1293-1305"
UEA = "A. Bagnall et al., The UEA multivariate time series classification archive, arXiv 1811.00075"


def read_archive(problem: str, *, channels: tuple[str, ...] = ()) -> Dataset:
    """Return the published TRAIN part, then the TEST part, of a problem.

    Args:
        problem: Name of its folder.
        channels: Names of the dimensions.

    Raises:
        MissingPackageError: If aeon is not installed.
        DataError: If the two parts list other classes.
    """
    parts = [
        parse_ts(locate("aeon", f"aeon/datasets/data/{problem}/{problem}_{part}.ts"))
        for part in ("TRAIN", "TEST")
    ]
    labelled = [labels_of(part) for part in parts]
    names = labelled[0][1]
    if labelled[1][1] != names:
        raise DataError(f"TRAIN and TEST of {problem} list other classes", got=labelled[1][1])
    labels = [found for found, _ in labelled if found is not None]
    return Dataset(
        name=problem,
        sequences=tuple(case.values for part in parts for case in part.cases),
        labels=np.concatenate(labels),
        class_names=names,
        n_train=len(parts[0].cases),
        channel_names=channels,
        notes=tuple(note for part in parts for note in part.notes),
    )


def _card(
    problem: str,
    *,
    source: str,
    values: str,
    label: str,
    dt: float = 1.0,
    unit: str = "sample",
    channels: tuple[str, ...] = (),
) -> DatasetCard:
    return DatasetCard(
        name=problem,
        read=partial(read_archive, problem, channels=channels),
        source=source,
        package="aeon",
        values=values,
        label=label,
        dt=dt,
        unit=unit,
        split="published",
    )


OSULEAF = _card(
    "OSULeaf",
    source=f"A. Grandhi, Content-based image retrieval: plant species identification, MSc thesis, "
    f"Oregon State University (2002); {UCR}",
    values="distance of a leaf's outline from its centre, z-scored per leaf",
    label="species, 6 classes",
)
ARROW_HEAD = _card(
    "ArrowHead",
    source=f"L. Ye and E. Keogh, Time series shapelets, KDD (2009); {UCR}",
    values="angle along an arrowhead's outline, z-scored per arrowhead",
    label="kind of arrowhead, 3 classes",
)
GUN_POINT = _card(
    "GunPoint",
    source="C. A. Ratanamahatana and E. Keogh, Making time-series classification more accurate "
    f"using learned constraints, SDM (2004); {UCR}",
    values="horizontal position of a hand, z-scored per motion",
    label="draws a gun or points, 2 classes",
)
ITALY_POWER_DEMAND = _card(
    "ItalyPowerDemand",
    source="E. Keogh et al., Intelligent icons: integrating lite-weight data mining and "
    f"visualization into GUI operating systems, ICDM (2006); {UCR}",
    values="electrical power demand of a day, z-scored per day",
    label="October to March or April to September, 2 classes",
    dt=1.0,
    unit="h",
)
JAPANESE_VOWELS = _card(
    "JapaneseVowels",
    source="M. Kudo, J. Toyama and M. Shimbo, Multidimensional curve classification using "
    f"passing-through regions, Pattern Recognition Letters 20 (1999) 1103-1111; {UEA}",
    values="linear prediction cepstrum coefficients of frames of 25.6 ms, one channel each; the "
    "UCI repository, whose set this is, gives 10 kHz speech and frames 6.4 ms apart",
    label="speaker, 9 classes",
    dt=0.0064,
    unit="s",
    channels=tuple(f"lpcc{i}" for i in range(1, 13)),
)
BASIC_MOTIONS = _card(
    "BasicMotions",
    source=UEA,
    values="accelerometer and gyroscope of a watch, three axes each",
    label="standing, running, walking or badminton, 4 classes",
    dt=0.1,
    unit="s",
    channels=tuple(f"{sensor}_{axis}" for sensor in ("acc", "gyro") for axis in "xyz"),
)
PICKUP_GESTURE = _card(
    "PickupGestureWiimoteZ",
    source="J. Guna, I. Humar and M. Pogacnik, Intuitive gesture based user identification system, "
    f"TSP (2012); {UCR}",
    values="acceleration along z of a hand-held controller",
    label="person, 10 classes",
)
