"""The table of codes that were found: made, and judged once more: ``python -m bench.found``."""
