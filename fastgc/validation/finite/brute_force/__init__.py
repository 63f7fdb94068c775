"""Finite statements by brute force: every word, every pattern; no code of the product or theory."""
