"""Sources that make their cases by number: what one is, and what it hands over."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Cases": "cases",
        "Generator": "generator",
        "Option": "option",
        "case_numbers": "parts",
        "case_streams": "streams",
        "choice": "option",
        "number": "option",
        "part_of": "parts",
        "switch": "option",
        "whole": "option",
    },
)
