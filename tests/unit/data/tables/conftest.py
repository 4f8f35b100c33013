import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from timegrain.data import load_dataset

FORMATS = ("csv", "parquet")


@pytest.fixture(params=FORMATS)
def load(request, tmp_path):
    """Write columns as a file of either format and read it."""

    def read(columns, **options):
        table = columns if isinstance(columns, pa.Table) else pa.table(columns)
        path = tmp_path / f"t.{request.param}"
        if request.param == "parquet":
            pq.write_table(table, path, row_group_size=4)
        else:
            import pyarrow.csv

            pyarrow.csv.write_csv(table, path)
        return load_dataset(path, **options)

    read.format = request.param
    return read


@pytest.fixture
def people():
    """Three people of 4, 3 and 5 samples, one after the other."""
    n = np.array([4, 3, 5])
    who = np.repeat(["ann", "bob", "cyd"], n)
    step = np.concatenate([np.arange(k) for k in n])
    return {
        "who": who.tolist(),
        "t": (step * 0.5).tolist(),
        "x": (step**2.0).tolist(),
        "y": (10.0 - step).tolist(),
        "act": np.repeat(["run", "sit", "run"], n).tolist(),
        "site": np.repeat([7, 7, 3], n).tolist(),
    }
