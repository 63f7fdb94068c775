"""Units of sampling, run block by block on an executor."""
