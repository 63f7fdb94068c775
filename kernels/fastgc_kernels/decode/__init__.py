"""Pattern → decoding error and vector."""
