"""Random numbers by their addresses: uniform and normal numbers, patterns."""
