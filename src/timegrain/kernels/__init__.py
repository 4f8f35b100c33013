"""Sequence operations with several implementations of one specification, and which of them ran."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "cauchy_pairs": "cauchy.sums",
        "diagonal_scan": "diagonal.scan",
        "dplr_kernel": "dplr.kernel",
        "dplr_scan": "dplr.scan",
        "explain": "dispatch",
        "glu_sum": "glu.glu_sum",
        "held_scan": "held.scan",
        "linear_scan": "linear.scan",
        "lti_conv": "lti.convolution",
        "matrix_scan": "matrix.scan",
        "matrix_step": "matrix.step",
        "mimo_scan": "mimo.scan",
        "s4d_kernel": "lti.kernel",
        "selective_scan": "selective.scan",
        "short_convolution": "short_conv.convolution",
        "silu_gate": "gate.gate",
        "softplus_steps": "softplus.steps",
        "use_backend": "context",
        "zoh_filter": "lti.filter.filter",
        "zoh_kernel": "lti.zoh.kernel",
    },
)
