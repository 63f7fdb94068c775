"""Versions: of fastgc, which its kernels must have too, and of its streams of random numbers."""

__version__ = "2.1.0"

STREAM_VERSION = 1
