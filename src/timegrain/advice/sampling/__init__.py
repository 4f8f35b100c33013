"""At which rate to sample, from what a label keeps of its predictability."""
