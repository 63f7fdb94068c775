"""What a study says, its points, and every complaint about it."""
