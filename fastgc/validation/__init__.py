"""Claims and measurements → verdicts: what `fastgc.validate` returns, and a paper's corrections."""

from fastgc.errors import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
