"""Montana: four rows, four gaps."""
