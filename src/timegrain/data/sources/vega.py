"""Tables that vega_datasets carries."""

import numpy as np
from jaxtyping import Float64

from timegrain.data.card import DatasetCard
from timegrain.data.dataset import Dataset
from timegrain.data.sources.package import locate

PACKAGE = "vega-datasets"


def read_levels() -> Dataset:
    """Return the price of each share at the start of every month.

    Raises:
        MissingPackageError: If vega-datasets is not installed.
    """
    return _stocks("stocks-level", _prices(), "price")


def read_returns() -> Dataset:
    """Return the difference of the logarithm of each price from month to month.

    Raises:
        MissingPackageError: If vega-datasets is not installed.
    """
    returns = {share: np.diff(np.log(prices)) for share, prices in _prices().items()}
    return _stocks("stocks-return", returns, "log return")


def read_seattle() -> Dataset:
    """Return the temperature at Seattle through 2010.

    Raises:
        MissingPackageError: If vega-datasets is not installed.
    """
    from pyarrow import csv

    table = csv.read_csv(locate(PACKAGE, "vega_datasets/_data/seattle-temps.csv"))
    values = np.asarray(table.column("temp").to_numpy(), dtype=np.float64)
    return Dataset(
        name="seattle-temps",
        sequences=(values[:, None],),
        channel_names=("temperature",),
        notes=(
            "the file has no row for 14 March 2010, 02:00, when clocks changed; the rows around it "
            "are read as neighbours",
        ),
    )


def _prices() -> dict[str, Float64[np.ndarray, " time"]]:
    from pyarrow import csv

    table = csv.read_csv(locate(PACKAGE, "vega_datasets/_data/stocks.csv"))
    shares = np.array(table.column("symbol").to_pylist())
    prices = np.asarray(table.column("price").to_numpy(), dtype=np.float64)
    return {share: prices[shares == share] for share in dict.fromkeys(shares.tolist())}


def _stocks(name: str, series: dict[str, np.ndarray], quantity: str) -> Dataset:
    return Dataset(
        name=name,
        sequences=tuple(values[:, None] for values in series.values()),
        channel_names=(quantity,),
        notes=(f"one sequence a share: {', '.join(series)}",),
    )


_STOCKS = "vega-datasets, stocks: monthly prices of five shares, 2000 to 2010"

STOCKS_LEVEL = DatasetCard(
    name="stocks-level",
    read=read_levels,
    source=_STOCKS,
    package=PACKAGE,
    values="price in USD",
    unit="month",
)
STOCKS_RETURN = DatasetCard(
    name="stocks-return",
    read=read_returns,
    source=_STOCKS,
    package=PACKAGE,
    values="difference of log prices",
    unit="month",
)
SEATTLE_TEMPS = DatasetCard(
    name="seattle-temps",
    read=read_seattle,
    source="vega-datasets, seattle-temps: hourly temperature of 2010, from NOAA",
    package=PACKAGE,
    values="temperature in degrees Fahrenheit",
    dt=1.0,
    unit="h",
)
