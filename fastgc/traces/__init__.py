"""Recorded times: recorded here, looked at, fitted, and held against the papers' models."""

from fastgc.errors import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
