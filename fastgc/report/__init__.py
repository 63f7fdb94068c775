"""Rows, verdicts, audits, dry runs, datasheets and rankings for people and programs."""

from fastgc.errors import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
globals().update({name: __getattr__(name) for name in __all__})  # not the modules of these names
