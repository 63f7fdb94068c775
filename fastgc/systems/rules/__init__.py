"""Rules that choose the k_j of a layered system."""
