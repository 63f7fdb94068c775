"""One pattern → its error and decoding vector."""
