"""The words people know, beside the profile: autocorrelation and spectrum."""
