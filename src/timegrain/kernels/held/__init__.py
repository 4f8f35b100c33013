"""The scan of shared complex modes over held inputs, with a step that may vary."""
