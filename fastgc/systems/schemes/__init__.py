"""The systems on data: who computes what, and how the sum is put together."""
