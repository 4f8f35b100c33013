"""Tables of any format as datasets: in long form a row is a time step, in wide form a series."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Block": "blocks",
        "Roles": "roles",
        "TableBlocks": "blocks",
        "TableSource": "source",
        "find_roles": "roles",
        "read_long": "long",
        "read_wide": "wide",
        "table_blocks": "blocks",
        "table_dataset": "dataset",
    },
)
