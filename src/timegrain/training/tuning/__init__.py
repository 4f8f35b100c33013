"""Options that are found by short trainings on the training part alone."""
