"""Tasks over symbols, drawn by rule."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "a5_state": "groups",
        "dyck": "brackets",
        "group_elements": "groups",
        "induction_heads": "induction",
        "listops": "expressions",
        "lra_listops": "nested",
        "modular_addition": "sums",
        "mqar": "recall",
        "parity": "sums",
        "python_next": "next_character",
        "s5_state": "groups",
        "selective_copy_last": "copying",
        "selective_copying": "selective",
    },
)
