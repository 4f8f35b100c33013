"""The linear recurrence of complex modes that all outputs share."""
