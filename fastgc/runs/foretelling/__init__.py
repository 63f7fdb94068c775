"""What a run will take, told from a pilot of its own first blocks."""
