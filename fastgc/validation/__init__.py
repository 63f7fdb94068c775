"""Claims and measurements → verdicts."""
