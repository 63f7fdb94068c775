"""Compiled kernels of fastgc: functions on arrays, no objects, no input or output."""

__version__ = "2.1.0"
