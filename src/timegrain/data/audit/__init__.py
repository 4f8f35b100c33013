"""What is wrong with the timestamps of a recording, and what is done about it before any number."""

from timegrain.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Stretch": "stretch",
        "TimestampAudit": "result",
        "audit_recording": "recording",
        "common_clock": "clock",
    },
)
