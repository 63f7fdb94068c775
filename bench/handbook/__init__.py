"""Pages of the handbook that are made, not written: ``python -m bench.handbook`` makes them."""
