"""Decoding: errors and decoding vectors of straggler patterns."""
