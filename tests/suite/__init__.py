"""What keeps the tests themselves in order: shared kernels, and what no test may do."""
