"""Where the registered layers are published."""

_MAMBA = ("gu2023mamba",)
_SOURCES = {
    "s4": ("gu2022efficiently",),
    "s4d": ("gu2022parameterization",),
    "s5": ("smith2023simplified",),
    "s6": _MAMBA,
    "mamba": _MAMBA,
    "transformer": ("vaswani2017attention", "su2021roformer"),
    "gru": ("cho2014learning",),
    "tcn": ("bai2018empirical",),
    "lru": ("orvieto2023resurrecting",),
    "b2s6": ("yu2025block",),
    "mamba2": ("dao2024transformers",),
    "mamba3": ("lahoti2026mamba",),
    "linear_attention": ("katharopoulos2020transformers",),
    "gla": ("yang2024gated",),
    "deltanet": ("yang2024parallelizing",),
    "gated_deltanet": ("yang2025gated",),
    "lstm": ("hochreiter1997long",),
    "ckconv": ("romero2022ckconv",),
}


def layer_sources(name: str) -> tuple[str, ...]:
    """Return keys in `timegrain.core.references` of a layer; none for a model of one's own.

    Example:
        >>> layer_sources("s6"), layer_sources("my_code:net")
        (('gu2023mamba',), ())
    """
    return _SOURCES.get(name, ())
