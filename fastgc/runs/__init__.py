"""Runs in parts and on many machines; what one will take, and what a file of one is worth.

`fastgc.run` carries a study out, and `fastgc.open` reads its file.
"""

from fastgc.errors import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
