"""The baseline every network is compared with: random convolutions and a ridge regression."""
