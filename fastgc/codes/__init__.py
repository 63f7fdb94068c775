"""Codes: who holds which partition.

Each function returns a `Code`; the same names and parameters are the families of a study.
"""

from fastgc.errors import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
globals().update({name: __getattr__(name) for name in __all__})  # members register when imported
