"""The generating function of a diagonal plus low rank kernel, from its four Cauchy sums."""
