"""Sums behind the discontinuity profile: what a sample differs from its neighbours' line."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Pieces": "pieces",
        "ProfileSums": "sums",
        "growth_sums": "dispatch",
        "profile_sums": "dispatch",
        "residuals": "dispatch",
        "token_sums": "dispatch",
    },
)
