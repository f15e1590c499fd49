"""Who gets in: where somebody comes from, who he is, what he may do."""
