"""The checks of the contract, one file each."""
