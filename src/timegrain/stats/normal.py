"""The normal distribution."""

Z95 = 1.959963984540054
"""Standard deviations on either side of the mean that hold 95 %: the .975 quantile."""
