"""Networks whose weights the `transformers` library saved, read without it.

`load(folder)` reads what `save_pretrained` of a Mamba, a Mamba-2 or a Falcon Mamba wrote, from
safetensors and JSON only: nothing is downloaded, and no pickle is opened.
"""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "MambaNetwork": "network",
        "load": "load",
    },
)
