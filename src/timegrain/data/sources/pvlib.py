"""The hourly weather that pvlib carries."""

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.card import DatasetCard
from timegrain.data.dataset import Dataset
from timegrain.data.sources.package import locate

# Measured or modelled quantities; sources and uncertainties of each, constants, the wind's
# direction (it jumps from 360 to 0) and the ceiling (77777 stands for none) are left out.
COLUMNS = (
    "ETR (W/m^2)",
    "GHI (W/m^2)",
    "DNI (W/m^2)",
    "DHI (W/m^2)",
    "TotCld (tenths)",
    "OpqCld (tenths)",
    "Dry-bulb (C)",
    "Dew-point (C)",
    "RHum (%)",
    "Pressure (mbar)",
    "Wspd (m/s)",
    "Lprecip depth (mm)",
)


def read_weather() -> Dataset:
    """Return a year of hourly weather at Greensboro, North Carolina.

    Raises:
        MissingPackageError: If pvlib is not installed.
        DataError: If the file misses one of `COLUMNS`.
    """
    from pyarrow import csv

    path = locate("pvlib", "pvlib/data/723170TYA.CSV")
    table = csv.read_csv(path, read_options=csv.ReadOptions(skip_rows=1))
    absent = [c for c in COLUMNS if c not in table.column_names]
    if absent:
        raise DataError(f"{path.name} misses columns", got=", ".join(absent))
    columns = [np.asarray(table.column(c).to_numpy(), dtype=np.float64) for c in COLUMNS]
    return Dataset(
        name="weather",
        sequences=(np.stack(columns, axis=1),),
        channel_names=tuple(c.split(" (")[0] for c in COLUMNS),
        notes=("a typical year: its months come from different years, so 11 joints are jumps",),
    )


WEATHER = DatasetCard(
    name="weather",
    read=read_weather,
    source="National Solar Radiation Data Base, typical meteorological year 3, station 723170: "
    "S. Wilcox and W. Marion, Users manual for TMY3 data sets, NREL/TP-581-43156 (2008)",
    package="pvlib",
    values="radiation, clouds, temperature, humidity, pressure, wind, rain, each in its own unit",
    dt=1.0,
    unit="h",
)
