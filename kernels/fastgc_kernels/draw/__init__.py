"""Random numbers, patterns and times: what is drawn at an address."""
