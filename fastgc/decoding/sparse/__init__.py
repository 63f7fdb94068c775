"""Codes with many workers of which each holds few partitions: their errors without B."""
