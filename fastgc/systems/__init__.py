"""Systems of workers: who works on how much, and whose answers are waited for.

Each function returns what a study's ``system`` table of the same name describes.
`coded_reduce` and `layered` return more: the schemes themselves, to be run on real data; what a
study describes is their ``.system``. `complete` says when a system is complete, from times.
"""

from fastgc.errors import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
globals().update({name: __getattr__(name) for name in __all__})  # members register when imported
