"""Addresses of random numbers, and what is drawn at them."""
