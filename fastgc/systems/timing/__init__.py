"""A system's structure → its completion time, sampled and exact."""
